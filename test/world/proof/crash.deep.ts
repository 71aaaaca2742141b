import { expect, test } from "vitest";
import { crashesOf, runStory } from "./crash-sweep.ts";

const SEEDS = 100;

test(`a crash before or after any write changes nothing about the end, with ${SEEDS} seeds`, async () => {
  let runs = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const calm = await runStory(String(seed));
    for (const crash of crashesOf(calm)) {
      const story = await runStory(String(seed), crash);
      runs++;
      expect(story.crashed, `seed ${seed}: write ${crash.write} happens`).toBe(true);
      expect(story.states, `seed ${seed}, ${crash.fate} write ${crash.write}`).toEqual(calm.states);
    }
  }
  console.log(`${runs} crashes, ${SEEDS} seeds`);
  expect(runs).toBeGreaterThan(SEEDS * 30);
});
