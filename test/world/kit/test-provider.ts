import {
  Cluster,
  type Frozen,
  isTrue,
  type Kind,
  Machine,
  Node,
  olderConditionsOf,
  type OwnerReference,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import {
  block,
  type Client,
  type Context,
  createClient,
  defineReconciler,
  isAlreadyExists,
  isNotFound,
  next,
  on,
  type Outcome,
  type Reconciler,
} from "@capstan/runtime";
import { node } from "@capstan/runtime/testing/builders";
import type { ManagerConnections } from "@capstan/sim";
import { type Foreign, foreignKind } from "./foreign-kinds.ts";
import { SIMULATED_ORIGIN } from "./cluster-world.ts";

const GROUP = "infrastructure.example.com";

/** A machine of a provider that Capstan does not know, which follows Cluster API's contract. */
export const TestMachine = foreignKind(GROUP, "TestMachine", "testmachines");
/** The template of TestMachines. */
export const TestMachineTemplate = foreignKind(GROUP, "TestMachineTemplate", "testmachinetemplates");

/** How long the provider takes. */
export interface ProviderLatencies {
  readonly vmMs: number;
  readonly nodeMs: number;
  readonly deletionMs: number;
}

/** The latencies of upstream's in-memory provider. */
const IN_MEMORY: ProviderLatencies = { vmMs: 10_000, nodeMs: 2_000, deletionMs: 5_000 };

type Connections = Pick<ManagerConnections, "connect"> & { readonly env: Env };

interface Scope {
  readonly context: Context<Foreign>;
  readonly connections: Connections;
  readonly latencies: ProviderLatencies;
}

/** What differs from the usual provider. */
export interface ProviderOptions {
  readonly latencies?: ProviderLatencies | undefined;
  readonly kind?: Kind<Foreign>;
}

/** Creates simulated virtual machines: after the bootstrap data, a VM takes 10 s, and its Node 2 s more. */
export function testProvider(
  connections: Connections,
  { latencies = IN_MEMORY, kind = TestMachine }: ProviderOptions = {},
): Reconciler {
  return defineReconciler<Foreign, Scope>({
    name: kind.kind.toLowerCase(),
    for: kind,
    finalizer: "testmachine.infrastructure.example.com",
    concurrency: 100,
    watches: [on(Machine, ({ metadata: { name, namespace } }) => [{ name, namespace }])],
    reads: [Cluster],
    scope: (context) => ({ context, connections, latencies }),
    normal: [createVm, joinCluster],
    deleting: [deleteVm],
  });
}

function ownerOf({ object }: Context<Foreign>): Readonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find(({ kind }) => kind === Machine.kind);
}

/** A size that the cloud does not have: machines of it never come up. */
export const UNKNOWN_SIZE = "unknown";

function createVm({ context, latencies: { vmMs } }: Scope): Outcome {
  const { object, cache, env } = context;
  const { namespace, name } = object.metadata;
  const owner = ownerOf(context);
  const machine = owner && cache.get(Machine, { name: owner.name, namespace });
  if (machine?.spec.bootstrap.dataSecretName === undefined) return block(600_000, "WaitingForBootstrap");
  if (object.spec?.["size"] === UNKNOWN_SIZE) return block(600_000, "UnknownSize");
  const startedMs = Number(object.status?.["startedMs"] ?? env.clock.now());
  object.status = { ...object.status, startedMs };
  const leftMs = startedMs + vmMs - env.clock.now();
  if (leftMs > 0) return block(leftMs, "CreatingVm");
  object.spec = { ...object.spec, providerID: `test:///${name}` };
  const { failureDomain } = machine.spec;
  const addresses = [{ type: "InternalIP", address: "10.0.0.4" }];
  object.status = {
    ...object.status,
    ready: true,
    addresses,
    ...(failureDomain !== undefined && { failureDomain }),
  };
  return next;
}

async function joinCluster({ context, connections, latencies: { vmMs, nodeMs } }: Scope): Promise<Outcome> {
  const { object, env } = context;
  if (object.status?.["joined"] === true) return next;
  const leftMs = Number(object.status?.["startedMs"]) + vmMs + nodeMs - env.clock.now();
  if (leftMs > 0) return block(leftMs, "BootingNode");
  const cluster = clusterOf(context);
  if (!isTrue(olderConditionsOf(cluster), "ControlPlaneInitialized"))
    return block(5_000, "WaitingForControlPlane");
  const client = workloadClient(connections, cluster?.metadata.name ?? "");
  await createNode(client, object.metadata.name, env.clock.now());
  object.status = { ...object.status, joined: true };
  return next;
}

function clusterOf(context: Context<Foreign>): Frozen<Cluster> | undefined {
  const { cache, object } = context;
  const { namespace } = object.metadata;
  const machine = cache.get(Machine, { name: ownerOf(context)?.name ?? "", namespace });
  return machine && cache.get(Cluster, { name: machine.spec.clusterName, namespace });
}

async function createNode(client: Client, name: string, nowMs: number): Promise<void> {
  try {
    await client.create(Node, node({ metadata: { name }, spec: { providerID: `test:///${name}` } }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const lastTransitionTime = new Date(nowMs).toISOString();
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime }];
  const body = { status: { conditions } };
  await client.patch(Node, { name }, { type: "merge", subresource: "status", body });
}

async function deleteVm({ context, connections, latencies: { deletionMs } }: Scope): Promise<Outcome> {
  const { object, env } = context;
  const { name } = object.metadata;
  const leftMs = Date.parse(object.metadata.deletionTimestamp ?? "") + deletionMs - env.clock.now();
  if (leftMs > 0) return block(leftMs, "DeletingVm");
  const cluster = clusterOf(context);
  if (!cluster) return next;
  const status = { conditions: [{ type: "Ready", status: "Unknown" }] };
  try {
    await workloadClient(connections, cluster.metadata.name).patch(
      Node,
      { name },
      { type: "merge", subresource: "status", body: { status } },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return next;
}

function workloadClient({ connect, env }: Connections, name: string): Client {
  const transport = connect(`${SIMULATED_ORIGIN}/${name}`);
  return createClient({ transport, env, fieldManager: "test-provider", userAgent: "test-provider" });
}
