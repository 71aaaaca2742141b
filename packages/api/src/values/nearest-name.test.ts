import { describe, expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

describe("an unknown name", () => {
  test.each([
    ["MachinePol", ["Machine", "MachinePool", "MachineSet"], "MachinePool"],
    ["machinepool", ["Machine", "MachinePool"], "MachinePool"],
    ["nmae", ["name", "node"], "name"],
    ["too", ["to", "for"], "to"],
    ["xy", ["to", "for"], undefined],
    ["", ["to"], undefined],
    ["a".repeat(1000), ["a".repeat(999)], undefined],
    ["anything", [], undefined],
  ])("%s of %j looks like %s", (written, known, expected) => {
    expect(nearestName(written, known)).toBe(expected);
  });
});
