import { AzureManagedMachinePool } from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { objectNameFor } from "../../aks/desired-object.ts";
import { pauseObject } from "../../aks/keep-object.ts";
import { BLOCK_MOVE_ANNOTATION } from "../../aks/members.ts";
import type { Scope } from "./scope.ts";

/** Holds `clusterctl move` back until Azure Service Operator leaves the pool alone. */
export function blockMove({ pool }: Scope): Outcome {
  pool.metadata.annotations = { ...pool.metadata.annotations, [BLOCK_MOVE_ANNOTATION]: "true" };
  return next;
}

/** Pauses the agent pool, then allows it to move. */
export async function pausePool(scope: Scope): Promise<Outcome> {
  const { context, pool, poolKind } = scope;
  await pauseObject(scope, poolKind, objectNameFor(pool.metadata.name));
  const { name, namespace, annotations } = pool.metadata;
  if (annotations?.[BLOCK_MOVE_ANNOTATION] === undefined) return next;
  const body = { metadata: { annotations: { [BLOCK_MOVE_ANNOTATION]: null } } };
  await context.client.patch(AzureManagedMachinePool, { name, namespace }, { type: "merge", body });
  return next;
}
