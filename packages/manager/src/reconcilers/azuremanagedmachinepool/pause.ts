import { AzureManagedMachinePool } from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { objectNameFor } from "@capstan/plan";
import { pauseObject } from "../../aks/keep-object.ts";
import { allowMove, blockMove } from "../../aks/move.ts";
import type { Scope } from "./scope.ts";

export function blockMoveOfPool({ pool }: Scope): Outcome {
  blockMove(pool);
  return next;
}

/** Pauses the agent pool, then allows it to move. */
export async function pausePool(scope: Scope): Promise<Outcome> {
  const { context, pool, poolKind } = scope;
  await pauseObject(scope, poolKind, objectNameFor(pool.metadata.name));
  await allowMove(context.client, AzureManagedMachinePool, pool);
  return next;
}
