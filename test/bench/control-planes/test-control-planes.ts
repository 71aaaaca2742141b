import {
  Cluster,
  ConfigMap,
  CONTROL_PLANE_LABEL,
  type Frozen,
  Machine,
  Node,
  type OwnerReference,
  Pod,
} from "@capstan/api";
import { type ApiServer, builtInKinds, createApiServer } from "@capstan/apiserver";
import { type Env, type Handler, type Transport, TransportError } from "@capstan/env";
import type { ConnectToEtcd } from "../../../packages/manager/src/etcd/port.ts";
import {
  block,
  type Client,
  type Context,
  createClient,
  defineReconciler,
  isAlreadyExists,
  next,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";
import { node } from "@capstan/runtime/testing/builders";
import { EtcdClusters, etcdGateway } from "@capstan/sim";
import { inProcess } from "../../../packages/cli/src/cluster/transport.ts";
import { mirrorStaticPods } from "../../../packages/sim/src/guests/static-pods.ts";
import type { Foreign } from "../../world/kit/foreign-kinds.ts";
import { TestMachine } from "../../world/kit/test-provider.ts";

// VM and Node as in upstream's in-memory run; the same 2 s for etcd and the API server are an assumption.
const VM_MS = 10_000;
const PART_MS = 2_000;
// A control plane starts etcd, then its API server, then its kubelet; a worker only its kubelet.
const CONTROL_PLANE_MS = VM_MS + 3 * PART_MS;
const WORKER_MS = VM_MS + PART_MS;
const NAMESPACE = "kube-system";

/** Workload clusters in this process, which exist once their first control plane has started. */
export class TestClusters {
  readonly #env: Env;
  readonly #servers = new Map<string, ApiServer>();
  readonly #etcd = new EtcdClusters();

  constructor(env: Env) {
    this.#env = env;
  }

  /** The way of a manager to the API server of a kubeconfig. */
  readonly connect = ({ server }: { readonly server: string }): Transport => {
    const endpoint = new URL(server).host;
    return inProcess((request) => (this.#servers.get(endpoint)?.handle ?? refused)(request));
  };

  /** The way of a manager to a member of etcd. */
  readonly connectEtcd: ConnectToEtcd = ({ endpoint, nodeName }) =>
    inProcess(etcdGateway({ etcd: this.#etcd.at(endpoint), nodeName }));

  /** A provider's client of a cluster. */
  clientOf(endpoint: string): Client {
    const transport = this.connect({ server: `https://${endpoint}` });
    return createClient({
      transport,
      env: this.#env,
      fieldManager: "test-provider",
      userAgent: "test-provider",
    });
  }

  /** Starts etcd and the API server of a cluster on its first machine. */
  initialize(endpoint: string, machine: string): void {
    if (this.#servers.has(endpoint)) return;
    const files = new Map<string, string>();
    const disk = {
      read: (path: string) => files.get(path),
      write: (path: string, text: string) => void files.set(path, text),
    };
    this.#etcd.at(endpoint).bootstrap({
      machineId: machine,
      nodeName: machine,
      address: "10.0.0.4",
      disk: () => disk,
      isRunning: () => true,
      isBalanced: () => true,
    });
    this.#servers.set(endpoint, createApiServer({ env: this.#env, kinds: builtInKinds }));
  }
}

const refused: Handler = () =>
  Promise.reject(new TransportError("refused", "no API server listens at this address"));

interface Scope {
  readonly context: Context<Foreign>;
  readonly clusters: TestClusters;
  readonly machine: Frozen<Machine> | undefined;
  readonly endpoint: string;
}

/** Virtual machines that become control planes of one machine, or workers. */
export function testControlPlanes(clusters: TestClusters): Reconciler {
  return defineReconciler<Foreign, Scope>({
    name: "testmachine",
    for: TestMachine,
    concurrency: 100,
    watches: [on(Machine, ({ metadata: { name, namespace } }) => [{ name, namespace }])],
    reads: [Cluster],
    scope: (context) => ({ context, clusters, ...ownersOf(context) }),
    normal: [createVm, joinCluster],
  });
}

function ownersOf({ object, cache }: Context<Foreign>): Pick<Scope, "machine" | "endpoint"> {
  const { namespace, ownerReferences = [] } = object.metadata;
  const owner = ownerReferences.find(({ kind }: OwnerReference) => kind === Machine.kind);
  const machine = owner && cache.get(Machine, { name: owner.name, namespace });
  const cluster = machine && cache.get(Cluster, { name: machine.spec.clusterName, namespace });
  const { host = "", port = 0 } = cluster?.spec.controlPlaneEndpoint ?? {};
  return { machine, endpoint: `${host}:${port}` };
}

function createVm({ context, machine }: Scope): Outcome {
  const { object, env } = context;
  if (machine?.spec.bootstrap.dataSecretName === undefined) return block(600_000, "WaitingForBootstrap");
  const startedMs = Number(object.status?.["startedMs"] ?? env.clock.now());
  object.status = { ...object.status, startedMs };
  const leftMs = startedMs + VM_MS - env.clock.now();
  if (leftMs > 0) return block(leftMs, "CreatingVm");
  object.spec = { ...object.spec, providerID: `test:///${object.metadata.name}` };
  object.status = { ...object.status, ready: true, addresses: [{ type: "InternalIP", address: "10.0.0.4" }] };
  return next;
}

async function joinCluster(scope: Scope): Promise<Outcome> {
  const { context, machine } = scope;
  const { object, env } = context;
  if (object.status?.["joined"] === true) return next;
  const isControlPlane = machine?.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
  const readyMs = Number(object.status?.["startedMs"]) + (isControlPlane ? CONTROL_PLANE_MS : WORKER_MS);
  const leftMs = readyMs - env.clock.now();
  if (leftMs > 0) return block(leftMs, "Booting");
  await (isControlPlane ? startControlPlane(scope) : register(scope, {}));
  object.status = { ...object.status, joined: true };
  return next;
}

async function startControlPlane(scope: Scope): Promise<void> {
  const { context, clusters, machine, endpoint } = scope;
  const { name } = context.object.metadata;
  clusters.initialize(endpoint, name);
  await register(scope, { "node-role.kubernetes.io/control-plane": "" });
  await startPods(clusters.clientOf(endpoint), name, machine?.spec.version ?? "");
}

/** Creates the Node of a machine. */
async function register(scope: Scope, labels: Record<string, string>): Promise<void> {
  const { context, clusters, machine, endpoint } = scope;
  const { name } = context.object.metadata;
  const version = machine?.spec.version ?? "";
  await createNode(clusters.clientOf(endpoint), { name, labels, version, nowMs: context.env.clock.now() });
}

async function createNode(
  client: Client,
  facts: { name: string; labels: Record<string, string>; version: string; nowMs: number },
): Promise<void> {
  const { name, labels, version, nowMs } = facts;
  const joining = node({ metadata: { name, labels }, spec: { providerID: `test:///${name}` } });
  await unlessThere(client.create(Node, joining));
  const lastTransitionTime = new Date(nowMs).toISOString();
  const status = {
    conditions: [{ type: "Ready", status: "True", lastTransitionTime }],
    nodeInfo: { kubeletVersion: version },
  };
  await client.patch(Node, { name }, { type: "merge", subresource: "status", body: { status } });
}

/** The static pods of a control plane, and the ConfigMap with which `kubeadm init` ends. */
async function startPods(client: Client, nodeName: string, version: string): Promise<void> {
  await mirrorStaticPods(client, { nodeName, address: "10.0.0.4", version, hasEtcd: true });
  const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
  for (const { metadata } of await client.list(Pod, { namespace: NAMESPACE }))
    await client.patch(Pod, metadata, { type: "merge", subresource: "status", body: { status } });
  const ClusterConfiguration = `apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: ${version}\n`;
  const metadata = { name: "kubeadm-config", namespace: NAMESPACE };
  await unlessThere(client.create(ConfigMap, { metadata, data: { ClusterConfiguration } }));
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
