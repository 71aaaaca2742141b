import { describe, expect, test } from "vitest";
import { chooseSeeds } from "../../tools/storm-seeds.ts";
import { SAMPLED_SEEDS as CLUSTER_SEEDS } from "../world/fleet/sampled-seeds.ts";
import { SAMPLED_SEEDS as POOL_SEEDS } from "../world/azuremachinepool/sampled-seeds.ts";

describe("the storms of the gate", () => {
  test("are chosen so that three reach each state, and the lowest seeds besides", () => {
    const storms = Array.from({ length: 20 }, (_, seed) => ({
      seed,
      reached: [...(seed % 2 === 0 ? ["crash"] : []), ...(seed > 16 ? ["pause"] : []), "unlisted"],
    }));
    expect(chooseSeeds(storms, ["crash", "pause"], 6)).toEqual([0, 1, 2, 17, 18, 19]);
  });

  test("are not chosen where no storm reaches a state", () => {
    const storms = [{ seed: 1, reached: ["crash"] }];
    expect(() => chooseSeeds(storms, ["crash", "pause"], 1)).toThrow("no storm reaches: pause");
  });

  test("are 75 of pools, from both files, and 30 of clusters, each once", () => {
    const inRange = (from: number, to: number) => POOL_SEEDS.filter((seed) => seed >= from && seed <= to);
    expect([inRange(2001, 3000).length, inRange(3001, 4000).length]).toEqual([38, 37]);
    expect([new Set(POOL_SEEDS).size, new Set(CLUSTER_SEEDS).size]).toEqual([75, 30]);
  });
});
