import { describe, expect, test } from "vitest";
import { resizedByOthers } from "./external-size.ts";

describe("a capacity that is found while machines are replaced", () => {
  test.each<[string, number | undefined, number, readonly number[], number]>([
    ["is ours when we left the set at it", 5, 5, [], 4],
    ["is the autoscaler's wish when we did not, larger", 5, 9, [], 9],
    ["is the autoscaler's wish when we did not, smaller", 5, 3, [], 3],
    ["is ours when a write that failed may have left it so", undefined, 5, [4, 6], 4],
    ["is the autoscaler's wish when no write of ours can have left it so", undefined, 9, [4, 5], 9],
    ["concludes nothing when the capacity after our last write is unknown", undefined, 9, [], 4],
  ])("%s", (_, externalCapacity, capacity, possible, externalReplicas) => {
    const known = { externalReplicas: 4, ...(externalCapacity !== undefined && { externalCapacity }) };
    expect(resizedByOthers(known, capacity, possible)).toEqual({
      externalReplicas,
      externalCapacity: capacity,
    });
  });

  test("says nothing when no number is remembered", () => {
    expect(resizedByOthers({ externalCapacity: 3 }, 9, [])).toEqual({});
  });
});
