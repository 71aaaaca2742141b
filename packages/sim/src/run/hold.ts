import { getCondition, olderConditionsOf } from "@capstan/api";
import type { Claims, ConditionClaim } from "../scenario/claims.ts";
import type { World } from "../world/world.ts";
import { logicalClusterNamed } from "./logical-cluster.ts";
import { scaleSetId } from "./scale-set.ts";

/** The actual state, one text for each claim that does not hold. */
export function problemsWith(world: World, claims: Claims): string[] {
  const { cluster, machines = [], guestsFailed = [], conditions = [] } = claims;
  const census = world.truth.census(logicalClusterNamed(world, cluster));
  const counts = (["nodes", "nodesReady", "podsRunning"] as const).flatMap((what) => {
    const desired = claims[what];
    return desired === undefined || desired === census[what]
      ? []
      : [`${what} is ${census[what]}, not ${desired}`];
  });
  return [
    ...counts,
    ...machines.flatMap(({ scaleSet, running }) => {
      const now = runningIn(world, scaleSet);
      return now === running ? [] : [`${now} machines of ${scaleSet} run, not ${running}`];
    }),
    ...guestsFailed.flatMap(({ reason, guests }) => {
      const now = world.guests.list().filter(({ failure }) => failure?.reason === reason).length;
      return now === guests ? [] : [`${now} guests have failed with ${reason}, not ${guests}`];
    }),
    ...conditions.flatMap((claim) => conditionProblem(world, claim)),
  ];
}

function runningIn(world: World, scaleSet: string): number {
  const members = world.azure.core.world.scaleSets.members(scaleSetId(scaleSet)).values();
  return [...members].filter(({ power }) => power === "running").length;
}

function conditionProblem(
  world: World,
  { kind, name, namespace = "", type, status }: ConditionClaim,
): string[] {
  const resource = `${kind.group}/${kind.plural}`;
  const object = world.management.storage.get({ resource, namespace, name });
  const now = getCondition(object && olderConditionsOf(object as object), type)?.status ?? "not there";
  return now === status ? [] : [`${type} of ${kind.kind} ${name} is ${now}, not ${status}`];
}
