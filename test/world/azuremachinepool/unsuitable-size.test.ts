import { AzureMachinePool, getCondition } from "@capstan/api";
import { expect, test } from "vitest";
import { get, MINUTE_MS } from "../kit/fleet-world.ts";
import { armCalls, createPool, type PoolOptions, poolWorld } from "../kit/pool-world.ts";

test.each<[string, PoolOptions, RegExp]>([
  [
    "a size that is too small for kubeadm",
    { spec: { template: { osDisk: { osType: "Linux" }, vmSize: "Standard_B1s" } } },
    /^spec\.template\.vmSize: Standard_B1s has 1 vCPU and 1 GiB/,
  ],
  [
    "a zone that the size does not have",
    { failureDomains: ["1", "9"] },
    /^spec\.failureDomains of the MachinePool: Standard_D2s_v3 is not offered in zone 9/,
  ],
  [
    "ultra disks that the size does not take",
    {
      spec: {
        template: {
          osDisk: { osType: "Linux" },
          vmSize: "Standard_B2s",
          additionalCapabilities: { ultraSSDEnabled: true },
        },
      },
    },
    /^spec\.template\.dataDisks: Standard_B2s takes no ultra disks/,
  ],
])("a pool with %s is refused, before anything is written to Azure", async (_, options, expected) => {
  const world = await poolWorld();
  await createPool(world, "mp", options);
  await world.advance(10 * MINUTE_MS);
  const { status } = await get(world, AzureMachinePool, "mp");
  const { reason, message } = getCondition(status?.conditions, "ScaleSetRunning") ?? {};
  expect([reason, message]).toEqual(["VMSizeUnsuitable", expect.stringMatching(expected)]);
  const sets = armCalls(world).filter((call) => /^PUT .*\/virtualMachineScaleSets\//.test(call));
  expect(sets).toEqual([]);
});
