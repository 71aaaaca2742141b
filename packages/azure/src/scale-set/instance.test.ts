import { expect, test } from "vitest";
import { SCALE_SET, SUBSCRIPTION } from "../azure.fixture.ts";
import { parseInstance } from "./instance.ts";

const RAW = {
  id: SCALE_SET.replace("/rg/", "/RG-One/") + "/virtualMachines/7",
  name: "pool_7",
  instanceId: "7",
  zones: ["2"],
  properties: {
    provisioningState: "Failed",
    latestModelApplied: false,
    vmId: "vm-guid",
    osProfile: { computerName: "pool000007" },
    storageProfile: { imageReference: { id: "/image", exactVersion: "1.2.3" } },
    instanceView: {
      statuses: [
        {
          code: "ProvisioningState/failed/OSProvisioningTimedOut",
          message: "slow",
          time: "2026-01-01T00:00:05Z",
        },
        { code: "PowerState/running" },
      ],
    },
    somethingNew: { kept: true },
  },
};

test("an instance has all fields of its item", () => {
  const parsed = parseInstance(RAW);
  expect(parsed).toMatchObject({
    instanceID: "7",
    name: "pool_7",
    providerID: `azure:///subscriptions/${SUBSCRIPTION}/resourceGroups/rg-one/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/7`,
    computerName: "pool000007",
    vmID: "vm-guid",
    provisioningState: "Failed",
    provisionedAtMs: Date.UTC(2026, 0, 1, 0, 0, 5),
    powerState: "running",
    isLatestModel: false,
    zone: "2",
    imageVersion: "1.2.3",
    error: { class: "Guest", code: "OSProvisioningTimedOut", message: "slow" },
  });
});

test("an instance with few fields is still parsed", () => {
  const parsed = parseInstance({ id: RAW.id, instanceId: "7", properties: null });
  expect(parsed).toEqual({
    instanceID: "7",
    resourceID: RAW.id,
    name: "7",
    providerID: expect.stringContaining("/virtualMachines/7") as string,
    provisioningState: "",
    powerState: "unknown",
  });
});

test.each([{}, { id: RAW.id }, { instanceId: "1" }, { id: "", instanceId: "1" }])(
  "%j is not an instance",
  (raw) => {
    expect(parseInstance(raw)).toBeUndefined();
  },
);
