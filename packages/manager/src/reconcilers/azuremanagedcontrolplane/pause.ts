import { AzureManagedControlPlane } from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { networkObjects, objectNameFor } from "@capstan/plan";
import { pauseObject } from "../../aks/keep-object.ts";
import { allowMove, blockMove } from "../../aks/move.ts";
import type { Scope } from "./scope.ts";

export function blockMoveOfCluster({ controlPlane }: Scope): Outcome {
  blockMove(controlPlane);
  return next;
}

/** Pauses all objects of the cluster, then allows it to move. */
export async function pauseObjects(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, aso, kind } = scope;
  await pauseObject(scope, kind, objectNameFor(controlPlane.metadata.name));
  for (const one of networkObjects(controlPlane, {}))
    await pauseObject(scope, await aso.kindOf(context, one.kind), one.name);
  await allowMove(context.client, AzureManagedControlPlane, controlPlane);
  return next;
}
