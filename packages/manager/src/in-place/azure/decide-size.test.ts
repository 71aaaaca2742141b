import type { VirtualMachine } from "@capstan/azure";
import { expect, test } from "vitest";
import { sizeRefusal } from "./decide-size.ts";
import { machine, REGION } from "./machine.fixture.ts";

const QUOTAS = [
  { name: "cores", used: 10, limit: 100 },
  { name: "Dsv3", used: 10, limit: 14 },
  { name: "DDSv5", used: 0, limit: 3 },
  { name: "lowPriorityCores", used: 0, limit: 1 },
];
const HERE = new Set(["standard_d2s_v3", "standard_d8s_v3"]);

function refusal(size: string, change: Partial<VirtualMachine> = {}, quotas: typeof QUOTAS = []): string {
  return (
    sizeRefusal({ machine: machine(change), size, region: REGION, sizesHere: HERE, quotas }) ?? "accepted"
  );
}

const TABLE: readonly [string, Partial<VirtualMachine>, string][] = [
  ["Standard_D8s_v3", {}, "accepted"],
  ["standard_d4DS_v5", {}, "accepted"],
  ["BothControllers", { diskController: "NVMe" }, "accepted"],
  ["SecondGeneration", {}, "accepted"],
  [
    "Standard_D8s_v3",
    { hasEphemeralDisk: true },
    "vm has an ephemeral OS disk, which another size would erase",
  ],
  ["Nothing", {}, '"Nothing" is not offered in westeurope'],
  ["Restricted", {}, "the subscription may not use Restricted in westeurope"],
  ["TooSmall", {}, "kubeadm needs 2 vCPUs"],
  [
    "Standard_D8s_v3",
    { zones: ["3"] },
    "Standard_D8s_v3 is not offered in zone 3 of westeurope, but in 1, 2",
  ],
  ["NoTempDisk", {}, "Standard_D2s_v3 has a temporary disk and NoTempDisk has none"],
  ["Standard_D2s_v3", { size: "NoTempDisk" }, "Standard_D2s_v3 has a temporary disk and NoTempDisk has none"],
  ["OnlyNvme", {}, "OnlyNvme attaches disks by NVMe only, and vm was created for SCSI"],
  ["Standard_D8s_v3", { diskController: "NVMe" }, "attaches disks by SCSI only, and vm was created for NVMe"],
  ["Arm", {}, "Arm runs Arm64, and the disk of vm has x64"],
  ["FirstGeneration", {}, "boots hypervisor generation V1, and vm may have V2"],
  ["FirstGeneration", { generation: "" }, "boots hypervisor generation V1"],
  [
    "Standard_D4ds_v5",
    { availabilitySet: "/a/b/set" },
    "the hardware of availability set set does not run Standard_D4ds_v5",
  ],
  ["Standard_D8s_v3", { availabilitySet: "/a/b/set" }, "accepted"],
];

test.each(TABLE)("%s for %j is %s", (size, change, expected) => {
  expect(refusal(size, change)).toContain(expected);
});

test("a machine whose generation is unknown takes a size that boots all generations of its own", () => {
  const { generation: _, ...unknown } = machine();
  const ask = (size: string) =>
    sizeRefusal({ machine: unknown, size, region: REGION, sizesHere: HERE, quotas: [] });
  expect(ask("Standard_D8s_v3")).toBeUndefined();
  expect(ask("SecondGeneration")).toContain("vm may have V1");
});

test("a quota must have what the size needs more, and all cores of it in another quota", () => {
  expect(refusal("Standard_D8s_v3", {}, QUOTAS)).toContain(
    "Standard_D8s_v3 needs 6 more cores of the quota Dsv3 in westeurope, and 10 of 14 are used",
  );
  expect(refusal("Standard_D4ds_v5", {}, QUOTAS)).toContain("needs 4 more cores of the quota DDSv5");
  expect(refusal("Standard_D8s_v3", { isSpot: true }, QUOTAS)).toContain("of the quota lowPriorityCores");
  expect(refusal("Standard_D2s_v3", { size: "Standard_D8s_v3" }, QUOTAS)).toBe("accepted");
});
