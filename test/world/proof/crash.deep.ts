import { expect, test } from "vitest";
import { sampledPoints, numbersFrom } from "../../sample.ts";
import { crashesOf, runStory } from "./crash-sweep.ts";

const SEEDS = 100;

test(`a crash before or after any write changes nothing about the end, with ${SEEDS} seeds`, async () => {
  const all = [];
  for (const seed of numbersFrom(1, SEEDS)) {
    const calm = await runStory(String(seed));
    all.push(...crashesOf(calm).map((crash) => ({ seed, crash, calm })));
  }
  expect(all.length).toBeGreaterThan(SEEDS * 30);
  for (const { seed, crash, calm } of sampledPoints("crashes of the proof controller", all)) {
    const story = await runStory(String(seed), crash);
    expect(story.crashed, `seed ${seed}: write ${crash.write} happens`).toBe(true);
    expect(story.states, `seed ${seed}, ${crash.fate} write ${crash.write}`).toEqual(calm.states);
  }
});
