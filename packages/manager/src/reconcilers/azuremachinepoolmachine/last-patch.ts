import { LAST_PATCH_ANNOTATION, nodePrototypingOf } from "@capstan/api";
import { next, type Outcome, shortHash } from "@capstan/runtime";
import { decideLastPatch, patchLevelOf } from "@capstan/plan";
import type { Scope } from "./scope.ts";

/** Notes when the Node of a machine last reported another patch level, in pools whose image is renewed from their machines. */
export async function noteLastPatch(scope: Scope): Promise<Outcome> {
  const { machine, pool, node, context } = scope;
  if (!pool || nodePrototypingOf(pool) === undefined || node.state !== "found") return next;
  // A Node that was just created reports nothing yet.
  if (!node.node.status?.nodeInfo?.kernelVersion) return next;
  const { annotations } = machine.metadata;
  const text = decideLastPatch({
    annotation: annotations?.[LAST_PATCH_ANNOTATION],
    fingerprint: shortHash(patchLevelOf(node.node)),
    nodeCreatedMs: Date.parse(node.node.metadata.creationTimestamp ?? ""),
    nowMs: context.env.clock.now(),
  });
  if (text !== undefined) machine.metadata.annotations = { ...annotations, [LAST_PATCH_ANNOTATION]: text };
  return next;
}
