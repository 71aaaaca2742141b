import type { OfferedSize, Region } from "@capstan/azure";
import { describe, expect, test } from "vitest";
import { sizeProblem, type SizeQuestion } from "./size-problem.ts";

function offered(
  capabilities: Readonly<Record<string, string>>,
  zones: readonly string[] = ["1", "2"],
  ultraDiskZones: readonly string[] = [],
): OfferedSize {
  return { capabilities: new Map(Object.entries(capabilities)), zones, ultraDiskZones };
}

const LARGE = { vCPUs: "2", MemoryGB: "8" };
const REGION: Region = {
  zones: ["1", "2"],
  sizes: new Map([
    ["fits", offered(LARGE)],
    ["ultra", offered(LARGE, ["1", "2"], ["1"])],
    ["zoneless-ultra", offered({ ...LARGE, UltraSSDAvailable: "True" }, [])],
    ["one-cpu", offered({ vCPUs: "1", MemoryGB: "3.5" })],
    ["small", offered({ vCPUs: "2", MemoryGB: "1.5" })],
    ["silent", offered({})],
  ]),
};
const FIELDS = { size: "spec.vmSize", zones: "spec.failureDomain", disks: "spec.dataDisks" };

function problemOf(change: Partial<SizeQuestion>, region = REGION): string | undefined {
  const question = { location: "westeurope", size: "Fits", zones: ["1"], needsUltraDisks: false };
  return sizeProblem(region, { ...question, fields: FIELDS, exists: false, ...change });
}

describe("a size", () => {
  test.each<[string, Partial<SizeQuestion>]>([
    ["in its zone, in any case", { size: "FITS" }],
    ["without zones", { zones: [] }],
    ["of which the list has no numbers", { size: "silent" }],
    ["with ultra disks in a zone that has them", { size: "ultra", needsUltraDisks: true }],
    [
      "with ultra disks in a region without zones",
      { size: "zoneless-ultra", zones: [], needsUltraDisks: true },
    ],
    ["of a machine that exists, in a zone that is closed now", { zones: ["3"], exists: true }],
    ["of a machine that exists, which Azure does not sell any more", { size: "gone", exists: true }],
  ])("%s is right", (_, change) => {
    expect(problemOf(change)).toBeUndefined();
  });

  test("of which the region has no list is right", () => {
    expect(problemOf({ size: "gone" }, { zones: [], sizes: new Map() })).toBeUndefined();
  });

  test.each<[Partial<SizeQuestion>, string]>([
    [{ size: "one-cpu" }, "spec.vmSize: one-cpu has 1 vCPU and 3.5 GiB of memory, and kubeadm needs 2 vCPUs"],
    [{ size: "small", exists: true }, "spec.vmSize: small has 2 vCPU and 1.5 GiB of memory"],
    [{ size: "gone" }, 'spec.vmSize: "gone" is not offered in westeurope'],
    [{ zones: ["1", "3"] }, "spec.failureDomain: Fits is not offered in zone 3 of westeurope, but in 1, 2"],
    [
      { size: "zoneless-ultra" },
      "spec.failureDomain: zoneless-ultra is not offered in zone 1 of westeurope, but only outside zones",
    ],
    [{ needsUltraDisks: true }, "spec.dataDisks: Fits takes no ultra disks in westeurope"],
    [
      { size: "ultra", zones: ["2"], needsUltraDisks: true },
      "spec.dataDisks: ultra takes no ultra disks in zone 2 of westeurope, but in 1; set spec.failureDomain",
    ],
    [
      { size: "ultra", zones: [], needsUltraDisks: true },
      "spec.dataDisks: ultra takes no ultra disks outside zones of westeurope, but in 1",
    ],
  ])("%j is refused with field, value and what would work", (change, expected) => {
    expect(problemOf(change)).toContain(expected);
  });
});
