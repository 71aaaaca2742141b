import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import type { OSDisk } from "./disks.ts";
import { type SpotVMOptions, defaultEvictionPolicy, spotErrors } from "./spot.ts";

const managed: OSDisk = { osType: "Linux" };
const ephemeral: OSDisk = { osType: "Linux", diffDiskSettings: { option: "Local" } };

describe("spot options", () => {
  test.each<[OSDisk, SpotVMOptions, string]>([
    [managed, {}, "Deallocate"],
    [ephemeral, {}, "Delete"],
    [managed, { evictionPolicy: "Delete" }, "Delete"],
  ])("on %j, %j evict by %s", (disk, spot, policy) => {
    defaultEvictionPolicy(spot, disk);
    expect(spot.evictionPolicy).toBe(policy);
  });

  test.each<SpotVMOptions>([
    {},
    { maxPrice: -1 },
    { maxPrice: "-1" },
    { maxPrice: "0.05" },
    { maxPrice: "500m" },
  ])("are accepted: %j", (spot) => {
    expect(spotErrors("spot", spot, managed)).toEqual([]);
  });

  test.each<[SpotVMOptions, OSDisk, string]>([
    [{ maxPrice: 0 }, managed, "spot.maxPrice: Invalid value: 0: must be -1 or greater than 0"],
    [{ maxPrice: "-500m" }, managed, 'spot.maxPrice: Invalid value: "-500m": must be -1 or greater than 0'],
    [{ maxPrice: "-2" }, managed, 'spot.maxPrice: Invalid value: "-2": must be -1 or greater than 0'],
    [
      { evictionPolicy: "Deallocate" },
      ephemeral,
      'spot.evictionPolicy: Invalid value: "Deallocate": must be Delete when the OS disk has diffDiskSettings',
    ],
  ])("are rejected: %j", (spot, disk, message) => {
    expect(spotErrors("spot", spot, disk).map(formatFieldError)).toEqual([message]);
  });
});
