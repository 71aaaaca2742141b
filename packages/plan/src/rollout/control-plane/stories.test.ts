import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runStory, type Story } from "./story.fixture.ts";

const SEEDS = 100;
const FOLDER = join(import.meta.dirname, "stories");

const STORIES: Readonly<Record<string, Story>> = {
  "create-3": { replicas: 3, maxSurge: 1, steps: [] },
  "upgrade-3-surge-1": { replicas: 3, maxSurge: 1, steps: [{ version: "v1.34.1" }] },
  "upgrade-3-surge-0": { replicas: 3, maxSurge: 0, steps: [{ version: "v1.34.1" }] },
  "upgrade-1": { replicas: 1, maxSurge: 1, steps: [{ version: "v1.34.1" }] },
  "scale-1-5-3": { replicas: 1, maxSurge: 1, steps: [{ replicas: 5 }, { replicas: 3 }] },
  "lost-machine": { replicas: 3, maxSurge: 1, steps: [{ loses: 1 }] },
  "lost-machine-then-upgrade": { replicas: 3, maxSurge: 1, steps: [{ loses: 1 }, { version: "v1.34.1" }] },
  "lost-quorum": { replicas: 3, maxSurge: 1, steps: [{ loses: 2 }, { version: "v1.34.1" }] },
  "in-place-3": { replicas: 3, maxSurge: 1, inPlace: "Covered", steps: [{ version: "v1.34.1" }] },
  "in-place-1": { replicas: 1, maxSurge: 1, inPlace: "Covered", steps: [{ version: "v1.34.1" }] },
  "in-place-blocked-then-scaled": {
    replicas: 3,
    maxSurge: 1,
    inPlace: "Uncovered",
    steps: [{ version: "v1.34.1" }, { replicas: 1 }],
  },
  "in-place-lost-machine": {
    replicas: 3,
    maxSurge: 1,
    inPlace: "Covered",
    steps: [{ loses: 1 }, { version: "v1.34.1" }],
  },
  "stray-learner": { replicas: 3, maxSurge: 1, steps: [{ stray: true }, { version: "v1.34.1" }] },
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

  test("changes one member at a time and ends the same in every order of events", () => {
    const { end } = runStory(story);
    const wrong = Array.from({ length: SEEDS }, (_, seed) => ({ seed, ...runStory(story, seed) })).filter(
      (run) => run.violations.length > 0 || run.end.join() !== end.join(),
    );
    expect(wrong.map(({ seed, violations, end: other }) => ({ seed, violations, end: other }))).toEqual([]);
  });
});
