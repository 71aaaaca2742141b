import { nearestName } from "@capstan/api";
import type { Transport } from "@capstan/env";
import type { Client } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import type { Host, Planner, PlanReport } from "./planners/planner.ts";
import { PLANNERS } from "./planners/planners.ts";
import { checkedDump } from "./read/checked-dump.ts";
import { checkManifests } from "./read/check-manifests.ts";
import type { GivenObjects } from "./read/given-objects.ts";
import { newestTimeIn, timeOf } from "./read/newest-time.ts";
import type { GivenObject } from "./read/read-objects.ts";

/** Objects as they were given, and sorted for the planners that have something to plan. */
export interface GivenChange {
  readonly objects: readonly GivenObject[];
  readonly given: GivenObjects;
  readonly planners: readonly Planner[];
}

/** Refuses objects of which there is nothing to plan. */
export function givenChange(objects: readonly GivenObject[], given: GivenObjects): GivenChange {
  return { objects, given, planners: plannersFor(given) };
}

/** The server that manifests would be applied to. */
export interface ChangePlace {
  readonly client: Client;
  readonly transport: Transport;
  /** The data directory of `capstan up`, if the server is its management cluster. */
  readonly home: string | undefined;
  readonly namespace: string;
  /** Whether the user has chosen the namespace. */
  readonly isWritten: boolean;
  readonly nowMs: number;
}

/** What applying manifests would do, by each planner that has something to plan. */
export async function plannedChange(
  host: Host,
  { objects, given, planners }: GivenChange,
  { namespace, isWritten, ...place }: ChangePlace,
): Promise<readonly PlanReport[]> {
  await checkManifests(place.client, objects, { namespace, isWritten });
  return Promise.all(planners.map((planner) => planner.forecast(host, { ...place, given })));
}

/** What the controllers would do next with the objects of a dump, at its newest time unless one is given. */
export function plannedDump({ objects, given, planners }: GivenChange, time?: string): readonly PlanReport[] {
  const nowMs = timeOfDump(objects, time);
  const checked = checkedDump(given);
  return planners.map((planner) => planner.planDump(checked, nowMs));
}

function plannersFor(given: GivenObjects): readonly Planner[] {
  const planners = PLANNERS.filter((planner) => planner.isFor(given));
  if (planners.length > 0) return planners;
  const kinds = [...new Set(PLANNERS.flatMap((planner) => planner.kinds))].sort();
  const hint = misspelt([...given.ignored.keys()], kinds);
  throw new CommandError(`there is nothing to plan: no object given is one of ${kinds.join(", ")}${hint}`);
}

function misspelt(ignored: readonly string[], kinds: readonly string[]): string {
  const guesses = ignored.flatMap((kind) => {
    const near = nearestName(kind, kinds);
    return near === undefined ? [] : [`; did you mean ${near} instead of ${kind}?`];
  });
  return guesses[0] ?? "";
}

function timeOfDump(objects: readonly GivenObject[], given: string | undefined): number {
  if (given !== undefined) {
    const nowMs = timeOf(given);
    if (nowMs !== undefined) return nowMs;
    throw new CommandError(`--now ${JSON.stringify(given)} is not a time; write it as 2026-01-31T12:00:00Z`);
  }
  const newestMs = newestTimeIn(objects);
  if (newestMs !== undefined) return newestMs;
  throw new CommandError("there is no timestamp in the dump, so its time is unknown; give it with --now");
}
