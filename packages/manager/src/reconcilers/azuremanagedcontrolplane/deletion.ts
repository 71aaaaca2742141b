import type { AsoObject, Kind } from "@capstan/api";
import { next, type Outcome, waiting } from "@capstan/runtime";
import { deleteAso, isControlledBy } from "../../aks/aso-objects.ts";
import { objectNameFor } from "../../aks/desired-object.ts";
import { managedPoolsOf } from "../../aks/members.ts";
import { networkObjects } from "../../aks/network.ts";
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

/** Deletes what this control plane owns, in reverse order: each object only when the one before is gone. */
export async function deleteObjects(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, aso, kind } = scope;
  const network = networkObjects(controlPlane, {});
  const objects: { readonly kind: Kind<AsoObject>; readonly name: string }[] = [
    { kind, name: objectNameFor(controlPlane.metadata.name) },
  ];
  for (const one of network.toReversed())
    objects.push({ kind: await aso.kindOf(context, one.kind), name: one.name });
  for (const one of objects) {
    const object = await aso.find(context, one.kind, one.name);
    if (!object || !isControlledBy(object, controlPlane)) continue;
    await deleteAso(context, one.kind, object);
    throw waiting("WaitingForDeletion", `${one.kind.kind} ${one.name} is being deleted`, GONE_MS);
  }
  return next;
}
