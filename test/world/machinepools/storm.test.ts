import { test } from "vitest";
import { seasonOf, storm } from "./storm.ts";

const season = seasonOf("storm.test.ts");

test.each([5, 12, 16, 28, 31, 62, 67, 69, 90, 129])("a pool ends the same in storm %i", (seed) =>
  storm(seed, season),
);
