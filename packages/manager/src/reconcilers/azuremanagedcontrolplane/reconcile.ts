import { type AsoObject, type Frozen, isJsonObject } from "@capstan/api";
import { next, type Outcome, terminal, waiting } from "@capstan/runtime";
import { agentPoolProfile, agentPoolSpec } from "../../aks/agent-pool.ts";
import { objectNameFor } from "../../aks/desired-object.ts";
import { reportFulfilled } from "../../aks/fulfilled.ts";
import { isNewer } from "../../aks/kubernetes-version.ts";
import { currentVersion, managedClusterSpec } from "../../aks/managed-cluster.ts";
import { type ManagedPool, managedPoolsOf } from "../../aks/members.ts";
import { networkObjects } from "../../aks/network.ts";
import { applyPatches } from "../../aks/patches/apply-patches.ts";
import type { PolicyDecision } from "../../aks/reconcile-policy.ts";
import { tagsOf, type Tags } from "../../azure-cluster/tags.ts";
import { ADOPT_ANNOTATION, type KeptObject, keepObject, requireReady } from "../../aks/keep-object.ts";
import type { Scope } from "./scope.ts";

/** The condition of the AKS cluster. */
export const RUNNING = "ManagedClusterRunning";

/** Keeps the resource group, the network and the subnet. */
export async function reconcileNetwork(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, aso, owner, clusterName } = scope;
  const decisions = new Map<string, PolicyDecision>();
  const waits: (() => void)[] = [];
  for (const { kind, name, condition, spec, followsPolicyOf } of networkObjects(
    controlPlane,
    tagsFor(scope),
  )) {
    const versioned = await aso.kindOf(context, kind);
    const wanted: KeptObject = {
      kind: versioned,
      name,
      clusterName,
      condition,
      credentialFrom: scope.credentialFrom,
      spec: () => spec,
      policy: { owner, ...(followsPolicyOf !== undefined && { parent: decisions.get(followsPolicyOf) }) },
    };
    const kept = await keepObject(scope, wanted);
    decisions.set(name, kept.policy);
    waits.push(() => requireReady(wanted, kept));
  }
  for (const wait of waits) wait();
  return next;
}

/** Keeps the ManagedCluster, with the patches of the user. */
export async function reconcileCluster(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, kind, clusterName, owner } = scope;
  const isAdopted = controlPlane.metadata.annotations?.[ADOPT_ANNOTATION] === "true";
  const wanted: KeptObject = {
    kind,
    name: objectNameFor(controlPlane.metadata.name),
    clusterName,
    condition: RUNNING,
    spec: (observed, decision) => specOf(scope, observed, decision),
    patches: {
      field: "spec.asoManagedClusterPatches",
      texts: controlPlane.spec.asoManagedClusterPatches ?? [],
    },
    policy: { owner, isAdopted },
    credentialFrom: scope.credentialFrom,
    isExclusive: true,
  };
  const kept = await keepObject(scope, wanted);
  scope.managedCluster = kept.object;
  scope.isBringYourOwn = kept.isBringYourOwn;
  await reportFulfilled(scope, wanted, { ...kept, differences: differencesOf(scope) });
  requireReady(wanted, kept);
  if (isStopped(kept.object)) {
    const message = "The AKS cluster is stopped; start it with `az aks start`";
    context.setCondition({
      type: RUNNING,
      status: "False",
      severity: "Warning",
      reason: "ClusterStopped",
      message,
    });
    throw waiting("ClusterStopped", message);
  }
  return next;
}

/** What a user would have to change on a ManagedCluster of their own. */
function differencesOf({ controlPlane, managedCluster }: Scope): readonly string[] {
  const running = currentVersion(managedCluster);
  return isNewer(controlPlane.spec.version, running)
    ? [`set its spec.kubernetesVersion to ${controlPlane.spec.version.replace(/^v/, "")}, it runs ${running}`]
    : [];
}

function isStopped({ status }: Frozen<AsoObject>): boolean {
  const power = status?.["powerState"];
  return isJsonObject(power) && power["code"] === "Stopped";
}

function specOf(
  scope: Scope,
  observed: Frozen<AsoObject> | undefined,
  { policy }: PolicyDecision,
): Readonly<Record<string, unknown>> {
  const { cluster, controlPlane } = scope;
  if (!cluster) throw waiting("WaitingForClusterOwner", "The Cluster does not exist");
  const spec = managedClusterSpec({
    controlPlane,
    cluster,
    tags: clusterTags(scope),
    observed,
    pools: firstPools(scope),
  });
  const pools = spec["agentPoolProfiles"];
  const hasSystemPool =
    Array.isArray(pools) && pools.some((pool) => isJsonObject(pool) && pool["mode"] === "System");
  if (pools !== undefined && !hasSystemPool) {
    const message =
      "AKS creates a cluster with a System pool: create a MachinePool with an AzureManagedMachinePool of mode System";
    throw waiting("WaitingForSystemPool", message);
  }
  // Azure Service Operator would fetch the credentials of a cluster that may belong to another owner.
  const { operatorSpec: _, ...withoutCredentials } = spec;
  return policy === "manage" ? spec : withoutCredentials;
}

function firstPools(scope: Scope): readonly Readonly<Record<string, unknown>>[] {
  const { context, clusterName, controlPlane } = scope;
  const { namespace } = controlPlane.metadata;
  return managedPoolsOf(context.cache, { name: clusterName, namespace }).map((one) => profileOf(scope, one));
}

/** The patches of a pool apply to its profile too. */
function profileOf(
  { controlPlane, subscriptionID }: Scope,
  { pool, machinePool }: ManagedPool,
): Readonly<Record<string, unknown>> {
  const spec = agentPoolSpec({
    pool,
    machinePool,
    controlPlane,
    controlPlaneVersion: controlPlane.spec.version,
    subscriptionID,
    tags: pool.spec.additionalTags ?? {},
  });
  const metadata = { name: pool.metadata.name, namespace: "", labels: {}, annotations: {} };
  const result = applyPatches(
    { apiVersion: "", kind: "", metadata, spec },
    pool.spec.asoManagedClustersAgentPoolPatches ?? [],
  );
  if ("object" in result) return agentPoolProfile(result.object.spec);
  const { index, message } = result.problem;
  throw terminal(
    "PatchFailed",
    `AzureManagedMachinePool ${pool.metadata.name}: spec.asoManagedClustersAgentPoolPatches[${index}]: ${message}`,
  );
}

/** An adopted cluster keeps the tags that it has: tags of ownership would be a write to Azure. */
function clusterTags(scope: Scope): Tags {
  const { annotations } = scope.controlPlane.metadata;
  return annotations?.[ADOPT_ANNOTATION] === "true"
    ? (scope.controlPlane.spec.additionalTags ?? {})
    : tagsFor(scope);
}

function tagsFor({ owner, controlPlane }: Scope): Tags {
  return tagsOf({ ...owner, additionalTags: controlPlane.spec.additionalTags ?? {} }, "common");
}
