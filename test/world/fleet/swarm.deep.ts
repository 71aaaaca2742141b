import { expect, test } from "vitest";
import { numbersFrom, stormSeeds } from "../../sample.ts";
import { MUST_BE_REACHED } from "./must-reach.ts";
import { SAMPLED_SEEDS } from "./sampled-seeds.ts";
import { type Reached, reachedText, storm } from "./storm.ts";

const { seeds, mustReachAll } = stormSeeds("storms of clusters", {
  sample: SAMPLED_SEEDS,
  all: numbersFrom(1001, 80),
});
const reached: Reached = new Map();

test.each(seeds)("the life of a cluster ends the same in storm %i", (seed) =>
  storm(seed, { file: "swarm.deep.ts", reached }),
);

test.runIf(mustReachAll)("the storms together have reached every state that they must", () => {
  console.log(reachedText(reached));
  expect(MUST_BE_REACHED.filter((state) => !reached.has(state))).toEqual([]);
});
