/** What holds of a MachineDeployment that updates in place, for machines in any state. */
import fc from "fast-check";
import { expect } from "vitest";
import { type FleetStory, runFleet } from "./fleet.fixture.ts";

const anyStart = fc.constantFrom(
  "available",
  "available",
  "available",
  "broken",
  "lost",
  "updating",
  "deleting",
  "starting",
  "unhealthy",
);

const anyVerdict = fc.constantFrom("Covered", "Covered", "Uncovered");

const anyStory: fc.Arbitrary<FleetStory> = fc
  .record({
    seed: fc.nat(1_000_000),
    replicas: fc.nat(7),
    maxSurge: fc.nat(3),
    maxUnavailable: fc.nat(3),
    fallback: fc.option(
      fc.constantFrom({ maxSurge: 1, maxUnavailable: 0 }, { maxSurge: 0, maxUnavailable: 1 }),
      {
        nil: undefined,
      },
    ),
    sets: fc.array(
      fc.record({
        machines: fc.array(anyStart, { maxLength: 6 }),
        missing: fc.constantFrom(0, 0, 0, 2, -1),
        verdict: anyVerdict,
      } as const),
      { minLength: 1, maxLength: 3 },
    ),
    isLastUpToDate: fc.boolean(),
    deletions: fc.constantFrom(0, 0, 1),
  } as const)
  .map((story) => (story.maxSurge + story.maxUnavailable === 0 ? { ...story, maxSurge: 1 } : story));

/** How many cases are tried, and which ones. */
interface Runs {
  readonly numRuns: number;
  readonly seed?: number;
}

/** The properties, by their names. */
export const FLEET_PROPERTIES: readonly (readonly [name: string, assert: (runs: Runs) => void])[] = [
  [
    "for machines in any state, no update takes more than the budget, and the rollout reaches its end",
    (runs) =>
      fc.assert(
        fc.property(anyStory, (story) => {
          const { violations, end, available, blocked, log } = runFleet(story);
          expect(violations, log.join("\n")).toEqual([]);
          const total = Object.values(end).reduce((sum, count) => sum + count, 0);
          if (blocked.includes("ChangesNotCovered")) {
            expect(total, log.join("\n")).toBeGreaterThanOrEqual(story.replicas);
            return;
          }
          expect({ end, available, blocked }, log.join("\n")).toEqual({
            end: story.replicas === 0 ? {} : { new: story.replicas },
            available: story.replicas,
            blocked: [],
          });
        }),
        runs,
      ),
  ],
  [
    "without a fallback, every machine that had a Node is kept, and an added machine goes at the end",
    (runs) =>
      fc.assert(
        fc.property(anyStory, fc.nat(3), (story, more) => {
          const sets = story.sets.map((set) => ({
            ...set,
            missing: 0,
            machines: set.machines.filter((start) => start !== "unhealthy" && start !== "lost"),
          }));
          const all = sets.flatMap(({ machines }) => machines);
          const replicas = all.length + more;
          const { kept, mostUpdating, log } = runFleet({
            ...story,
            replicas,
            sets,
            fallback: undefined,
            deletions: 0,
          });
          const had = all.filter((start) => start === "available" || start === "updating").length;
          expect(kept, log.join("\n")).toBeGreaterThanOrEqual(had);
          const updating = all.filter((start) => start === "updating").length;
          expect(mostUpdating, log.join("\n")).toBeLessThanOrEqual(
            Math.max(story.maxUnavailable, 1, updating),
          );
        }),
        runs,
      ),
  ],
];
