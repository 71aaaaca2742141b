import { ConfigMap, type Frozen, type Machine, type Node, Pod } from "@capstan/api";
import { Failure, next, type Outcome } from "@capstan/runtime";
import type { EtcdView } from "@capstan/plan";
import type { WorkloadNodes } from "../../workload/nodes.ts";
import { WORKLOAD_CLUSTER_UNTRUSTED, type WorkloadCluster } from "../../workload/connection.ts";
import { observeEtcd } from "./etcd.ts";
import { KUBEADM_CONFIG } from "./kubeadm-config.ts";
import { outdatedMachines } from "./outdated.ts";
import type { Scope } from "./scope.ts";

/** What the workload cluster says about its control plane. */
export interface ObservedWorkload {
  /** Why it does not answer; undefined while it does. */
  readonly unreachable?: string;
  /** The Nodes of machines, by the names of the machines. */
  readonly nodes: ReadonlyMap<string, Frozen<Node>>;
  /** The static pods, by name. */
  readonly pods: ReadonlyMap<string, Frozen<Pod>>;
  readonly etcd: EtcdView;
}

const NOTHING = { nodes: new Map<string, Frozen<Node>>(), pods: new Map<string, Frozen<Pod>>() };

/** Reads the workload cluster, its etcd, and which machines are outdated. */
export async function observe(scope: Scope): Promise<Outcome> {
  scope.observed = await observeWorkload(scope);
  scope.outdated = await outdatedMachines(scope);
  return next;
}

async function observeWorkload(scope: Scope): Promise<ObservedWorkload> {
  const { shared, cluster, machines, controlPlane } = scope;
  const isInitialized = controlPlane.status?.initialization?.controlPlaneInitialized === true;
  const unknown = (why: string, isUntrusted = false): ObservedWorkload => ({
    ...NOTHING,
    ...((isInitialized || isUntrusted) && { unreachable: why }),
    etcd: { state: "unknown", why },
  });
  if (!cluster || machines.length === 0) return unknown("the control plane has no machine yet");
  // Before the first machine has its infrastructure, no API server can answer.
  if (!isInitialized && !machines.some(isProvisioned))
    return unknown("the first machine has not started yet");
  try {
    return await readWorkload(scope, await shared.ports.workloads.get(cluster));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // Until kubeadm init has finished no answer is expected, but one of another server is a mistake.
    return unknown(error.message, error.reason === WORKLOAD_CLUSTER_UNTRUSTED);
  }
}

function isProvisioned({ status }: Frozen<Machine>): boolean {
  return status?.initialization?.infrastructureProvisioned === true;
}

async function readWorkload(scope: Scope, workload: WorkloadCluster): Promise<ObservedWorkload> {
  const { controlPlane } = scope;
  if (controlPlane.status?.initialization?.controlPlaneInitialized !== true) {
    const config = await workload.client.find(ConfigMap, KUBEADM_CONFIG);
    if (!config) return { ...NOTHING, etcd: { state: "unknown", why: "kubeadm init has not finished yet" } };
    controlPlane.status = {
      ...controlPlane.status,
      initialization: { controlPlaneInitialized: true },
    };
  }
  const nodes = nodesOf(scope, await workload.nodes());
  const pods = await workload.client.list(Pod, {
    namespace: "kube-system",
    labelSelector: "tier=control-plane",
  });
  return {
    nodes,
    pods: new Map(pods.map((pod) => [pod.metadata.name, pod])),
    etcd: await observeEtcd(scope, nodes),
  };
}

function nodesOf({ machines }: Scope, nodes: WorkloadNodes): ReadonlyMap<string, Frozen<Node>> {
  return new Map(
    machines.flatMap(({ metadata, spec }) => {
      const [node] = spec.providerID === undefined ? [] : nodes.of(spec.providerID);
      return node ? [[metadata.name, node] as const] : [];
    }),
  );
}
