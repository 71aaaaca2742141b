import { type AsoObject, type Frozen, isJsonObject } from "@capstan/api";
import { next, type Outcome, terminal, waiting } from "@capstan/runtime";
import {
  CLUSTER_PATCHES,
  clusterSpecOf,
  currentVersion,
  type DescribedCluster,
  isAdopted,
  isNewer,
  networkObjects,
  objectNameFor,
  ownedTags,
  type PolicyDecision,
} from "@capstan/plan";
import { reportFulfilled, reportUnkept } from "../../aks/fulfilled.ts";
import { managedPoolsOf } from "../../aks/members.ts";
import { type KeptObject, keepObject, requireReady } from "../../aks/keep-object.ts";
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
    ownedTags(controlPlane, clusterName),
  )) {
    const versioned = await aso.kindOf(context, kind);
    const desired: KeptObject = {
      kind: versioned,
      name,
      clusterName,
      condition,
      credentialFrom: scope.credentialFrom,
      spec: () => spec,
      policy: { owner, ...(followsPolicyOf !== undefined && { parent: decisions.get(followsPolicyOf) }) },
    };
    const kept = await keepObject(scope, desired);
    await reportUnkept(scope, desired, kept);
    decisions.set(name, kept.policy);
    waits.push(() => requireReady(desired, kept));
  }
  for (const wait of waits) wait();
  return next;
}

/** Keeps the ManagedCluster, with the patches of the user. */
export async function reconcileCluster(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, kind, clusterName, owner } = scope;
  const desired: KeptObject = {
    kind,
    name: objectNameFor(controlPlane.metadata.name),
    clusterName,
    condition: RUNNING,
    spec: (observed, { policy }) => specOf(scope, { observed, isManaged: policy === "manage" }),
    adoptedSpec: (observed) => specOf(scope, { observed, isAdopted: true, isManaged: true }),
    patches: {
      field: CLUSTER_PATCHES,
      texts: controlPlane.spec.asoManagedClusterPatches ?? [],
    },
    policy: { owner, isAdopted: isAdopted(controlPlane) },
    credentialFrom: scope.credentialFrom,
  };
  const kept = await keepObject(scope, desired);
  scope.managedCluster = kept.object;
  scope.isBringYourOwn = kept.isBringYourOwn;
  await reportFulfilled(scope, desired, { ...kept, differences: differencesOf(scope) });
  requireReady(desired, kept);
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
  options: Pick<DescribedCluster, "observed" | "isAdopted"> & { readonly isManaged: boolean },
): Readonly<Record<string, unknown>> {
  const { cluster, controlPlane, context, subscriptionID } = scope;
  if (!cluster) throw waiting("WaitingForClusterOwner", "The Cluster does not exist");
  const pools = managedPoolsOf(context.cache, cluster.metadata);
  const computed = clusterSpecOf({ ...options, controlPlane, cluster, pools, subscriptionID });
  if ("problem" in computed) throw terminal("PatchFailed", computed.problem);
  requireSystemPool(computed.spec["agentPoolProfiles"]);
  // Azure Service Operator would fetch the credentials of a cluster that may belong to another owner.
  const { operatorSpec: _, ...withoutCredentials } = computed.spec;
  return options.isManaged ? computed.spec : withoutCredentials;
}

function requireSystemPool(profiles: unknown): void {
  if (!Array.isArray(profiles)) return;
  if (profiles.some((pool) => isJsonObject(pool) && pool["mode"] === "System")) return;
  const message =
    "AKS creates a cluster with a System pool: create a MachinePool with an AzureManagedMachinePool of mode System";
  throw waiting("WaitingForSystemPool", message);
}
