import { deepEqual, formatTimestamp, parseDuration, PROTOTYPE_PIN_ANNOTATION } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { decideRollback } from "@capstan/plan";
import { change, moveTo, recordOf, renewalOf, type Scope } from "../scope.ts";

/** Rolls the image back when the nodes that were created from it do not join. Existing nodes stay as they are. */
export async function judgeNewNodes(scope: Scope): Promise<Outcome> {
  const { settings, offBecause } = scope;
  const { bootImage, phase, joins: recorded } = recordOf(scope);
  if (!settings || offBecause !== undefined || !bootImage) return next;
  const decision = decideRollback(factsOf(scope, settings));
  if (decision.do === "nothing") return next;
  const { joins, why } = decision;
  // Without a change nothing is written.
  if (!deepEqual(joins, recorded)) change(scope, { joins });
  // A renewal that runs brings its donor back first.
  if (decision.do === "record" || phase !== "Idle") return next;
  const at = formatTimestamp(scope.context.env.clock.now());
  await moveTo(scope, "RollingBack", { rolledBack: { version: joins.version, at, message: why } });
  return again(0, "RollingBack");
}

function factsOf(
  scope: Scope,
  { rollbackWindow }: NonNullable<Scope["settings"]>,
): Parameters<typeof decideRollback>[0] {
  const active = renewalOf(scope).history.find(({ state }) => state === "Active");
  return {
    nowMs: scope.context.env.clock.now(),
    active: active && { version: active.version, promotedMs: Date.parse(active.createdAt) },
    windowMs: parseDuration(rollbackWindow),
    isPinned: scope.owner.metadata.annotations?.[PROTOTYPE_PIN_ANNOTATION] !== undefined,
    recorded: recordOf(scope).joins,
    machines: active ? scope.fleet.newMachines(active) : [],
  };
}
