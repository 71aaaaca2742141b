import { type Cluster, type ContractReference, type Frozen } from "@capstan/api";
import { again, Failure, next, type Outcome } from "@capstan/runtime";
import { labelWithCluster, ownByCluster, requireCluster } from "../../contract/join-cluster.ts";
import { reconcileReference } from "../../contract/reconcile-reference.ts";
import type { ResolvedReference } from "../../contract/resolve.ts";
import { candidatesOf } from "../../workload/node-ref-cache.ts";
import { countNodes } from "./count-nodes.ts";
import { decideSpec, type NodesView } from "./decide.ts";
import type { Scope } from "./scope.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

/** The references of a pool, and the condition of each. */
export const REFERENCES = {
  bootstrap: { field: "spec.template.spec.bootstrap.configRef", condition: "BootstrapReady" },
  infrastructure: { field: "spec.template.spec.infrastructureRef", condition: "InfrastructureReady" },
} as const;

// Cluster API's interval for pools and for objects that it does not watch.
const POLL_MS = 30_000;
const SOON_MS = 10_000;
const STILL_THERE_MS = 2 * 60_000;

/** Makes the Cluster the owner of the pool, and labels the pool with it. */
export function joinCluster({ pool, cluster }: Scope): Outcome {
  ownByCluster(pool, requireCluster(pool, cluster));
  return labelWithCluster(pool);
}

/** Reads the bootstrap config and the infrastructure, and sets their owner. */
export async function observeReferences(scope: Scope): Promise<Outcome> {
  const { bootstrap, infrastructureRef } = scope.pool.spec.template.spec;
  const config = bootstrap.configRef && (await see(scope, "bootstrap", bootstrap.configRef));
  if (config) scope.bootstrap = config;
  scope.infrastructure = await see(scope, "infrastructure", infrastructureRef);
  takeOver(scope);
  const isFollowed = scope.infrastructure.isFollowed && (config?.isFollowed ?? true);
  return isFollowed ? next : again(POLL_MS, "PollingReferences");
}

/** Writes the fields of the spec that other controllers read. */
function takeOver(scope: Scope): void {
  const { spec } = scope.pool;
  const { dataSecretName, providerIDList, replicas } = decideSpec(scope.pool, scope);
  if (dataSecretName !== undefined) spec.template.spec.bootstrap.dataSecretName = dataSecretName;
  if (providerIDList && (providerIDList.length > 0 || spec.providerIDList))
    spec.providerIDList = providerIDList;
  if (replicas !== undefined) spec.replicas = replicas;
}

/** Counts the Nodes of the pool in the cache, which one watch for each cluster fills. */
export async function observeNodes(scope: Scope): Promise<Outcome> {
  const { cluster, context } = scope;
  if (!cluster) return next;
  const nodes = await lookAtNodes(scope, cluster);
  scope.nodes = nodes;
  if (nodes.state === "unknown") return again(SOON_MS, nodes.reason);
  const { nextAvailableMs } = nodes.count;
  // A changed Node enqueues the pool, but no event reports that minReadySeconds have passed or that the server is down.
  if (nextAvailableMs === undefined) return again(STILL_THERE_MS, "WatchingNodes");
  const waitMs = Math.max(nextAvailableMs - context.env.clock.now(), 0);
  return again(Math.min(waitMs, STILL_THERE_MS), "WaitingForMinReadySeconds");
}

async function lookAtNodes({ ports, pool, context }: Scope, cluster: Frozen<Cluster>): Promise<NodesView> {
  if (!isControlPlaneInitialized(cluster)) {
    const message = `The control plane of Cluster ${cluster.metadata.name} does not answer yet`;
    return { state: "unknown", reason: "WaitingForControlPlane", message, isError: false };
  }
  try {
    const workload = await ports.workloads.get(cluster);
    const nodes = await workload.nodes();
    const { providerIDList = [], template } = pool.spec;
    const { minReadySeconds = 0 } = template.spec;
    const options = { minReadySeconds, nowMs: context.env.clock.now() };
    return {
      state: "counted",
      count: countNodes(providerIDList, (nodeRef) => candidatesOf(nodeRef, nodes), options),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { reason, message, failure } = error;
    return { state: "unknown", reason, message, isError: failure === "Terminal" };
  }
}

async function see(
  { context, pool }: Scope,
  which: keyof typeof REFERENCES,
  reference: Frozen<ContractReference>,
): Promise<ResolvedReference> {
  const adopter = { owner: pool, clusterName: pool.spec.clusterName };
  return reconcileReference(context, { reference, ...REFERENCES[which] }, adopter);
}
