import { type AsoObject, type Frozen, getCondition, MachinePool } from "@capstan/api";
import { again, Failure, next, type Outcome, waiting } from "@capstan/runtime";
import {
  agentPoolName,
  agentPoolSpec,
  currentVersion,
  hasPools,
  isNewer,
  objectNameFor,
  POOL_PATCHES,
} from "@capstan/plan";
import { isAsoReady, isControlledBy } from "../../aks/aso-objects.ts";
import { reportFulfilled } from "../../aks/fulfilled.ts";
import { subscriptionOf } from "../../azure-cluster/arm-client.ts";
import { type KeptObject, keepObject, requireReady } from "../../aks/keep-object.ts";
import { asoSecretName } from "../../aks/aso-objects.ts";
import { isPrivate, listedProviderIDs } from "./provider-ids.ts";
import type { Owners, Scope } from "./scope.ts";

/** The condition of the pool in AKS. */
export const POOL_READY = "AgentPoolsReady";
const SCALED_BY = "cluster.x-k8s.io/replicas-managed-by";
const NODES_MS = 15_000;
const LIST_MS = 60_000;

/** Keeps the agent pool, once AKS has created the cluster. */
export async function reconcilePool(scope: Scope): Promise<Outcome> {
  const { pool, poolKind, clusterName, ports } = scope;
  const owners = ownersOf(scope);
  const { controlPlane, machinePool } = owners;
  const managedCluster = await createdCluster(scope, owners);
  const desired: KeptObject = {
    kind: poolKind,
    name: objectNameFor(pool.metadata.name),
    clusterName,
    condition: POOL_READY,
    spec: (observed) =>
      agentPoolSpec({
        pool,
        machinePool,
        controlPlane,
        controlPlaneVersion: currentVersion(managedCluster),
        subscriptionID: subscriptionOf(ports, controlPlane),
        tags: pool.spec.additionalTags ?? {},
        observed,
      }),
    patches: {
      field: POOL_PATCHES,
      texts: pool.spec.asoManagedClustersAgentPoolPatches ?? [],
    },
    credentialFrom: owners.controlPlane.spec.identityRef?.name ? asoSecretName(clusterName) : undefined,
    policy: {
      owner: { clusterName, clusterKey: "" },
      parent: policyOfCluster(managedCluster),
    },
  };
  const kept = await keepObject(scope, desired);
  scope.agentPool = kept.object;
  scope.isBringYourOwn = kept.isBringYourOwn;
  await reportFulfilled(scope, desired, { ...kept, differences: differencesOf(kept.object, owners) });
  requireReady(desired, kept);
  return next;
}

/** What a user would have to change on an agent pool of their own. */
function differencesOf({ status }: Frozen<AsoObject>, { machinePool }: Owners): readonly string[] {
  const { count, currentOrchestratorVersion: running } = status ?? {};
  const { replicas } = machinePool.spec;
  const { version } = machinePool.spec.template.spec;
  const isScaled = replicas !== undefined && typeof count === "number" && count !== replicas;
  return [
    ...(isScaled ? [`set its spec.count to ${replicas}, it has ${count}`] : []),
    ...(typeof running === "string" && isNewer(version, running)
      ? [`set its spec.orchestratorVersion to ${version?.replace(/^v/, "")}, it runs ${running}`]
      : []),
  ];
}

function ownersOf({ owners }: Scope): Owners {
  if (!owners) throw waiting("WaitingForMachinePoolOwner", "The pool has no owners");
  return owners;
}

async function createdCluster(scope: Scope, { controlPlane }: Owners): Promise<Frozen<AsoObject>> {
  const { aso, context, clusterKind } = scope;
  const name = objectNameFor(controlPlane.metadata.name);
  const managedCluster = await aso.find(context, clusterKind, name);
  if (!managedCluster || !hasPools(managedCluster) || !isCreated(managedCluster)) {
    const why = getCondition(managedCluster?.status?.conditions, "Ready")?.message;
    const message = `ManagedCluster ${name} is not created yet${why === undefined ? "" : `: ${why}`}`;
    throw reported(scope, waiting("WaitingForControlPlane", message));
  }
  if (!isControlledBy(managedCluster, controlPlane) && managedCluster.spec["agentPoolProfiles"])
    throw reported(
      scope,
      waiting(
        "PoolsInManagedCluster",
        `Remove spec.agentPoolProfiles of ManagedCluster ${name}: AKS has created the cluster, and this pool gets an object of its own`,
      ),
    );
  return managedCluster;
}

/** Puts into the condition of the pool why it waits. */
function reported({ context }: Scope, failure: Failure): Failure {
  const { reason, message } = failure;
  context.setCondition({ type: POOL_READY, status: "False", severity: "Info", reason, message });
  return failure;
}

/** AKS creates the first pools together with the cluster. */
function isCreated(managedCluster: Frozen<AsoObject>): boolean {
  return isAsoReady(managedCluster) || managedCluster.status?.["provisioningState"] !== "Creating";
}

/** A pool belongs to whom its cluster belongs to. */
function policyOfCluster({ metadata }: Frozen<AsoObject>): {
  readonly policy: "manage" | "skip";
  readonly why: string;
} {
  const policy = metadata.annotations?.["serviceoperator.azure.com/reconcile-policy"];
  return policy === "skip"
    ? { policy: "skip", why: "its cluster is not managed" }
    : { policy: "manage", why: "its cluster is managed" };
}

/** Says on the MachinePool who decides about the number of nodes, and which number the autoscaler has chosen. */
export async function reconcileScaling(scope: Scope): Promise<Outcome> {
  const { pool, agentPool, context } = scope;
  const { machinePool } = ownersOf(scope);
  const { name, namespace, annotations } = machinePool.metadata;
  const isScaled = pool.spec.scaling !== undefined;
  const isMarked = annotations?.[SCALED_BY] === "true";
  const count = agentPool?.status?.["count"];
  const replicas = isScaled && typeof count === "number" ? count : machinePool.spec.replicas;
  const body = {
    ...(isScaled !== isMarked && { metadata: { annotations: { [SCALED_BY]: isScaled ? "true" : null } } }),
    ...(replicas !== machinePool.spec.replicas && { spec: { replicas } }),
  };
  if (Object.keys(body).length > 0)
    await context.client.patch(MachinePool, { name, namespace }, { type: "merge", body });
  return next;
}

/** Reads the provider ids from the Nodes of the pool, without a call to Azure; from Azure if there is no route to them. */
export async function observeNodes(scope: Scope): Promise<Outcome> {
  const { pool, ports } = scope;
  const owners = ownersOf(scope);
  try {
    const nodes = await (await ports.workloads.get(owners.cluster)).nodes();
    setProviderIDs(
      scope,
      nodes
        .inAgentPool(agentPoolName(pool))
        .flatMap(({ spec }) => (spec?.providerID ? [spec.providerID] : [])),
    );
    return next;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isPrivate(owners)) return again(NODES_MS, error.reason);
    setProviderIDs(scope, await listedProviderIDs(scope, owners));
    return again(LIST_MS, "ListingInstances");
  }
}

function setProviderIDs({ pool }: Scope, ids: readonly string[] | undefined): void {
  if (ids && (ids.length > 0 || pool.spec.providerIDList)) pool.spec.providerIDList = ids.toSorted();
}
