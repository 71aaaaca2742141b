import { BLOCK_MOVE_ANNOTATION } from "@capstan/api";
import { next, type Outcome } from "@capstan/runtime";
import { blocksMove } from "@capstan/plan";
import { annotating } from "./fleet/donor-node.ts";
import { CONTROLLER, recordOf, type Scope } from "./scope.ts";

/**
 * The value that the annotation should have: ours while a move would lose a donor; undefined to remove it. What another client
 * has set stays.
 */
function desiredValue(scope: Scope): string | undefined {
  const current = scope.owner.metadata.annotations?.[BLOCK_MOVE_ANNOTATION];
  if (current !== undefined && current !== CONTROLLER) return current;
  return blocksMove(recordOf(scope)) ? CONTROLLER : undefined;
}

/** Makes `clusterctl move` wait while a donor is out of service: the status, which names the donor, is not moved. */
export function guardMove(scope: Scope): Outcome {
  const { [BLOCK_MOVE_ANNOTATION]: current, ...others } = scope.owner.metadata.annotations ?? {};
  const desired = desiredValue(scope);
  if (current !== desired)
    scope.owner.metadata.annotations = {
      ...others,
      ...(desired !== undefined && { [BLOCK_MOVE_ANNOTATION]: desired }),
    };
  return next;
}

/** `clusterctl move` pauses the Cluster first: the donor is back by now, and the move may go on. */
export async function allowMoveWhilePaused(scope: Scope): Promise<Outcome> {
  const { owner, ownerKind, context } = scope;
  const { [BLOCK_MOVE_ANNOTATION]: current } = owner.metadata.annotations ?? {};
  if (current === desiredValue(scope)) return next;
  await context.client.patch(ownerKind, owner.metadata, annotating([BLOCK_MOVE_ANNOTATION], null));
  return next;
}
