import { test } from "vitest";
import { type Reached, storm } from "./storm.ts";

const reached: Reached = new Map();

test.each([1, 2, 3])("the life of a cluster ends the same in storm %i", (seed) =>
  storm(seed, { file: "swarm.test.ts", reached }),
);
