import { test } from "vitest";
import { seasonOf, storm } from "./storm.ts";

// Each of these seeds has found a bug once, with the story of that time.
const season = seasonOf("storm.test.ts");

test.each<[number, string]>([
  [12, "roll InPlace"],
  [28, "roll InPlace"],
  [62, "delete the pool"],
  [129, "scale up"],
  [1342, "delete the pool"],
  [1574, "delete the pool"],
  [2052, "roll InPlace"],
  [2196, "roll InPlace"],
  [2288, "create"],
  [2788, "roll InPlace"],
  [60136, "roll InPlace"],
  [60220, "roll InPlace"],
])("a pool ends the same in storm %i: %s", (seed, story) => storm(seed, season, story));
