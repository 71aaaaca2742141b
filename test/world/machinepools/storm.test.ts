import { test } from "vitest";
import { seasonOf, storm } from "./storm.ts";

// Each of them has found something once.
const season = seasonOf("storm.test.ts");

test.each([12, 28, 62, 129, 1342, 1574, 2052, 2196, 2288, 2788])("a pool ends the same in storm %i", (seed) =>
  storm(seed, season),
);
