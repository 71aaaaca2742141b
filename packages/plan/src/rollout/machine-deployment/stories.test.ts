import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runStory, type Story } from "./story.fixture.ts";

const SEEDS = 100;
const FOLDER = join(import.meta.dirname, "stories");

const STORIES: Readonly<Record<string, Story>> = {
  "create-3": { replicas: 3, maxSurge: 1, maxUnavailable: 0, steps: [] },
  "roll-3-surge-1": { replicas: 3, maxSurge: 1, maxUnavailable: 0, steps: [{ template: "b" }] },
  "roll-10-surge-3-unavailable-1": {
    replicas: 10,
    maxSurge: 3,
    maxUnavailable: 1,
    steps: [{ template: "b" }],
  },
  "roll-6-unavailable-2": { replicas: 6, maxSurge: 0, maxUnavailable: 2, steps: [{ template: "b" }] },
  "roll-and-back": {
    replicas: 4,
    maxSurge: 1,
    maxUnavailable: 1,
    steps: [{ template: "b" }, { template: "a" }],
  },
  "scale-up-and-down": {
    replicas: 3,
    maxSurge: 1,
    maxUnavailable: 0,
    steps: [{ replicas: 6 }, { replicas: 2 }],
  },
  "broken-machines-then-roll": {
    replicas: 5,
    maxSurge: 1,
    maxUnavailable: 0,
    steps: [{ breaks: 2 }, { template: "b" }],
  },
  "all-broken-then-roll": {
    replicas: 3,
    maxSurge: 1,
    maxUnavailable: 0,
    steps: [{ breaks: 3 }, { template: "b" }],
  },
  "paused-then-resumed": {
    replicas: 3,
    maxSurge: 1,
    maxUnavailable: 0,
    steps: [{ paused: true }, { template: "b" }, { replicas: 4 }, { paused: false }],
  },
  "on-delete": {
    replicas: 3,
    maxSurge: 0,
    maxUnavailable: 0,
    strategy: "OnDelete",
    steps: [{ template: "b" }, { deletes: 2 }, { replicas: 2 }],
  },
  "to-zero-and-back": {
    replicas: 2,
    maxSurge: 1,
    maxUnavailable: 0,
    steps: [{ replicas: 0 }, { replicas: 2 }],
  },
  "keep-one-revision": {
    replicas: 2,
    maxSurge: 1,
    maxUnavailable: 0,
    keptRevisions: 1,
    steps: [{ template: "b" }, { template: "c" }, { template: "b" }],
  },
};

describe.each(Object.entries(STORIES))("%s", (name, story) => {
  test("matches its golden file", () => {
    const { log, end, violations } = runStory(story);
    const text = [`# ${JSON.stringify(story)}`, ...log, "", ...end, ""].join("\n");
    const file = join(FOLDER, `${name}.txt`);
    if (process.env["CAPSTAN_GOLDEN"] === "write") {
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, text);
    }
    expect(violations).toEqual([]);
    expect(text).toBe(readFileSync(file, "utf8"));
  });

  test("keeps its bounds and ends the same in every order of events", () => {
    const { end } = runStory(story);
    const wrong = Array.from({ length: SEEDS }, (_, seed) => ({ seed, ...runStory(story, seed) })).filter(
      (run) => run.violations.length > 0 || run.end.join() !== end.join(),
    );
    expect(
      wrong.map(({ seed, violations, end: other }) => ({
        seed,
        violations: violations.slice(0, 3),
        end: other,
      })),
    ).toEqual([]);
  });
});
