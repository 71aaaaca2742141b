import { next, type Outcome, waiting } from "@capstan/runtime";
import { deleteAso, isControlledBy } from "../../aks/aso-objects.ts";
import { managedPoolsOf } from "../../aks/members.ts";
import { objectNameFor, POLICY_ANNOTATION } from "@capstan/plan";
import type { Scope } from "./scope.ts";

const GONE_MS = 30_000;

/** Deletes the agent pool; when the whole cluster goes, only its object: AKS deletes the nodes with the cluster. */
export async function deletePool(scope: Scope): Promise<Outcome> {
  const { context, pool, aso, poolKind, isClusterGoing } = scope;
  const object = await aso.findToDelete(context, poolKind, objectNameFor(pool.metadata.name));
  if (!object || !isControlledBy(object, pool)) return next;
  requireOtherSystemPool(scope);
  const { name, namespace, annotations } = object.metadata;
  if (isClusterGoing && annotations?.[POLICY_ANNOTATION] !== "skip") {
    const body = { metadata: { annotations: { [POLICY_ANNOTATION]: "skip" } } };
    await context.client.patch(poolKind, { name, namespace }, { type: "merge", body });
  }
  await deleteAso(context, poolKind, object);
  throw waiting("WaitingForDeletion", `ManagedClustersAgentPool ${name} is being deleted`, GONE_MS);
}

/** AKS refuses to delete the last System pool, and a deletion cannot be taken back: it waits for another one. */
function requireOtherSystemPool({ context, pool, clusterName, isClusterGoing }: Scope): void {
  if (isClusterGoing || pool.spec.mode !== "System") return;
  const { name, namespace } = pool.metadata;
  const others = managedPoolsOf(context.cache, { name: clusterName, namespace }).filter(
    ({ pool: { metadata, spec } }) =>
      metadata.name !== name && metadata.deletionTimestamp === undefined && spec.mode === "System",
  );
  if (others.length > 0) return;
  const message = `${name} is the last System pool of Cluster ${clusterName}, which AKS does not delete: create another pool of mode System, or delete the Cluster`;
  throw waiting("LastSystemPool", message, GONE_MS);
}
