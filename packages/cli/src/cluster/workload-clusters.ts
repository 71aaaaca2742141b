import type { Clusters, PodBackends } from "@capstan/apiserver";
import { MANAGEMENT_CLUSTER } from "@capstan/apiserver/layout";
import type { Azure } from "@capstan/azure-sim";
import type { Env, Handler } from "@capstan/env";
import { CONTROLLERS } from "@capstan/manager";
import { createClient, createEventRecorder, createLogger, type LogDestination } from "@capstan/runtime";
import {
  EtcdClusters,
  etcdGateway,
  etcdPods,
  type GivenDurations,
  type Guests,
  type GuestView,
  machineLabel,
  startControlPlanes,
  startGuests,
  startManagedClusters,
  updatesSince,
} from "@capstan/sim";
import { controlPlaneHost } from "./control-plane-host.ts";
import { inProcess } from "./transport.ts";

/** What workload clusters need to run. */
export interface WorkloadClustersOptions {
  readonly env: Env;
  /** The clock of clients, for certificates that they verify. */
  readonly outside: Env;
  readonly clusters: Clusters;
  readonly azure: Azure;
  readonly dataDir: string;
  /** How long machines boot and pods take, and which updates they install, where that differs from the model's table. */
  readonly durations?: Pick<GivenDurations, "boot" | "pods" | "updates">;
  /** Prints a line for the user. */
  readonly say: (line: string) => void;
  /** The log, for engineers. */
  readonly log: LogDestination;
}

/** Running workload clusters, with the guests of the simulated machines. */
export interface WorkloadClusters {
  /** Their number, in a few words. */
  readonly summary: string;
  /** The name of the logical cluster at an endpoint, HOST:PORT. */
  nameAt(endpoint: string): string | undefined;
  /** The hash of the certificate authority of the control plane at an endpoint, as kubeadm pins it. */
  caCertHashAt(endpoint: string): string | undefined;
  /** Whether clients of the control plane at an endpoint get answers. */
  isServing(endpoint: string): boolean;
  /** The member of etcd on a Node of the control plane at an endpoint. */
  etcdOn(target: { readonly endpoint: string; readonly nodeName: string }): Handler;
  /** The servers in the pods of a logical cluster: members of etcd. */
  podsOf(name: string): PodBackends;
  readonly guests: Pick<Guests, "run">;
  close(): Promise<void>;
}

/** Starts the control planes of all Clusters, and a guest in each simulated machine. */
export async function startWorkloadClusters(options: WorkloadClustersOptions): Promise<WorkloadClusters> {
  const { env, outside, clusters, azure, dataDir, durations: { boot, pods, updates } = {} } = options;
  const handle = clusters.get(MANAGEMENT_CLUSTER)?.server.handle;
  if (!handle) throw new TypeError("the management cluster is opened before its workload clusters");
  const management = inProcess(handle);
  const log = createLogger(env, "warn", options.log);
  const etcd = new EtcdClusters();
  const podsOf = etcdPods({ env: outside, etcd, endpointOf: (name) => controlPlanes.endpointOf(name) });
  const host = controlPlaneHost({ clusters, dataDir, podsOf });
  const controlPlanes = startControlPlanes({
    env,
    management,
    etcd,
    host,
    log,
    yieldTo: CONTROLLERS.map(({ kind }) => kind),
    ...(pods && { pods }),
  });
  await controlPlanes.ready;
  const managedClusters = startManagedClusters({ env, azure, host, log, ...(pods && { pods }) });
  await managedClusters.ready;
  const client = createClient({ env, transport: management, fieldManager: "guests" });
  const events = createEventRecorder({ client, env, log, component: "guests" });
  const guests = startGuests({
    env,
    azure,
    etcd,
    initialize: controlPlanes.initialize,
    settings: {
      ...(boot && { boot }),
      ...(updates && { updates: updatesSince(updates, env.clock.now()) }),
    },
    clusterAt: (endpoint) => controlPlanes.clusterAt(endpoint) ?? managedClusters.clusterAt(endpoint),
    onFailure: ({ machineId, failure }) => {
      const [, , , , group = ""] = machineId.split("/");
      const name = `${group}/${machineLabel(machineId)}`;
      const { reason = "", message = "" } = failure ?? {};
      options.say(`guest ${name}: ${reason}: ${message}`);
      events.record(machineNamed(name), { type: "Warning", reason, message });
    },
  });
  for (const planes of [controlPlanes, managedClusters])
    planes.onEndpoint((endpoint) => guests.attend(endpoint));
  return {
    summary: summaryOf(controlPlanes.count() + managedClusters.count(), guests),
    guests,
    podsOf,
    nameAt: (endpoint) => controlPlanes.nameAt(endpoint),
    caCertHashAt: (endpoint) => controlPlanes.clusterAt(endpoint)?.caCertHash,
    isServing: (endpoint) => etcd.at(endpoint).isServing(),
    etcdOn: ({ endpoint, nodeName }) => etcdGateway({ etcd: etcd.at(endpoint), nodeName }),
    close: async () => {
      guests.close();
      await events.flush();
      await managedClusters.close();
      await controlPlanes.close();
    },
  };
}

/**
 * The object that events refer to. A simulated machine is not a Kubernetes object, so its name is made to look like
 * one.
 */
function machineNamed(name: string): Parameters<ReturnType<typeof createEventRecorder>["record"]>[0] {
  const metadata = { name: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-"), namespace: "default" };
  return { apiVersion: "compute.azure.com/v1", kind: "VirtualMachine", metadata };
}

function summaryOf(clusters: number, guests: Guests): string {
  const byStage = Map.groupBy(guests.list(), ({ stage }) => stage);
  const stages = [...byStage].map(([stage, some]: [string, GuestView[]]) => `${some.length} ${stage}`);
  const details = stages.length === 0 ? "" : ` (${stages.join(", ")})`;
  return `workload clusters: ${clusters}, guests: ${guests.list().length}${details}`;
}
