import { type AsoObject, type Frozen, type Kind, ManagedCluster, ResourceGroup } from "@capstan/api";
import { next, type Outcome, waiting } from "@capstan/runtime";
import { deleteAso, isControlledBy } from "../../aks/aso-objects.ts";
import { networkObjects, objectNameFor, POLICY_ANNOTATION } from "@capstan/plan";
import { managedPoolsOf } from "../../aks/members.ts";
import type { Scope } from "./scope.ts";

// The watch of the object ends the wait; this covers an event that was missed.
const GONE_MS = 30_000;

/** Waits for the pools: their own controllers delete them. */
export function awaitPools({ context, controlPlane, clusterName }: Scope): Outcome {
  const { namespace } = controlPlane.metadata;
  const left = managedPoolsOf(context.cache, { name: clusterName, namespace });
  if (left.length === 0) return next;
  const names = left.map(({ pool }) => pool.metadata.name).join(", ");
  throw waiting("WaitingForPools", `The pools ${names} are deleted first`, GONE_MS);
}

/** Deletes what this control plane owns, one object after the other. */
export async function deleteObjects(scope: Scope): Promise<Outcome> {
  const { context } = scope;
  for (const { kind, object } of inOrder(await ownedObjects(scope))) {
    if (await isKeptByUser(scope, object)) await release(scope, kind, object);
    await deleteAso(context, kind, object);
    const message = `${kind.kind} ${object.metadata.name} is being deleted`;
    throw waiting("WaitingForDeletion", message, GONE_MS);
  }
  return next;
}

interface OwnedObject {
  readonly kind: Kind<AsoObject>;
  readonly object: Frozen<AsoObject>;
}

async function ownedObjects(scope: Scope): Promise<readonly OwnedObject[]> {
  const { context, controlPlane, aso, kind } = scope;
  const desired = [{ kind, name: objectNameFor(controlPlane.metadata.name) }];
  for (const one of networkObjects(controlPlane, {}).toReversed())
    desired.push({ kind: await aso.kindOf(context, one.kind), name: one.name });
  const found: OwnedObject[] = [];
  for (const one of desired) {
    const object = await aso.findToDelete(context, one.kind, one.name);
    if (object && isControlledBy(object, controlPlane)) found.push({ kind: one.kind, object });
  }
  return found;
}

/** The cluster goes first. A resource group of ours then takes everything with it; without one, each resource goes alone. */
function inOrder(objects: readonly OwnedObject[]): readonly OwnedObject[] {
  const cluster = objects.filter(({ kind }) => kind.kind === ManagedCluster.kind);
  const groups = objects.filter(({ kind, object }) => kind.kind === ResourceGroup.kind && isManaged(object));
  return [...cluster, ...groups, ...objects.filter((one) => !cluster.includes(one) && !groups.includes(one))];
}

function isManaged({ metadata }: Frozen<AsoObject>): boolean {
  return metadata.annotations?.[POLICY_ANNOTATION] === "manage";
}

/** The network of a cluster that its user brought and keeps is still in use: it stays in Azure. */
async function isKeptByUser(scope: Scope, object: Frozen<AsoObject>): Promise<boolean> {
  const { context, controlPlane, aso, kind } = scope;
  if (object.kind === ResourceGroup.kind || object.kind === ManagedCluster.kind || !isManaged(object))
    return false;
  const cluster = await aso.find(context, kind, objectNameFor(controlPlane.metadata.name));
  const group = await aso.find(
    context,
    await aso.kindOf(context, ResourceGroup),
    objectNameFor(controlPlane.spec.resourceGroupName),
  );
  const isGroupOurs = group !== undefined && isControlledBy(group, controlPlane);
  return cluster !== undefined && !isControlledBy(cluster, controlPlane) && !isGroupOurs;
}

async function release(
  { context }: Scope,
  kind: Kind<AsoObject>,
  { metadata }: Frozen<AsoObject>,
): Promise<void> {
  const { name, namespace } = metadata;
  const body = { metadata: { annotations: { [POLICY_ANNOTATION]: "skip" } } };
  await context.client.patch(kind, { name, namespace }, { type: "merge", body });
}
