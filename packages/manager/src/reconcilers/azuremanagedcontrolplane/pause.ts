import { AzureManagedControlPlane } from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { objectNameFor } from "../../aks/desired-object.ts";
import { pauseObject } from "../../aks/keep-object.ts";
import { BLOCK_MOVE_ANNOTATION } from "../../aks/members.ts";
import { networkObjects } from "../../aks/network.ts";
import type { Scope } from "./scope.ts";

/** Holds `clusterctl move` back until Azure Service Operator leaves the resources alone. */
export function blockMove({ controlPlane }: Scope): Outcome {
  controlPlane.metadata.annotations = {
    ...controlPlane.metadata.annotations,
    [BLOCK_MOVE_ANNOTATION]: "true",
  };
  return next;
}

/** Pauses all objects of the cluster, then allows it to move. */
export async function pauseObjects(scope: Scope): Promise<Outcome> {
  const { context, controlPlane, aso, kind } = scope;
  await pauseObject(scope, kind, objectNameFor(controlPlane.metadata.name));
  for (const one of networkObjects(controlPlane, {}))
    await pauseObject(scope, await aso.kindOf(context, one.kind), one.name);
  const { name, namespace, annotations } = controlPlane.metadata;
  if (annotations?.[BLOCK_MOVE_ANNOTATION] === undefined) return next;
  const body = { metadata: { annotations: { [BLOCK_MOVE_ANNOTATION]: null } } };
  await context.client.patch(AzureManagedControlPlane, { name, namespace }, { type: "merge", body });
  return next;
}
