import { getCondition, Machine, MachineDeployment, RETRY_UPDATE_ANNOTATION } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, MINUTE_MS, patch } from "../../kit/fleet-world.ts";
import { nodesOf } from "../../kit/pool-world.ts";
import {
  DEPLOYMENT,
  identities,
  machinesIn,
  PATIENCE_MS,
  resizeTo,
  resizeWorld,
  virtualMachinesIn,
  writesTo,
} from "../../kit/resize-world.ts";

const REGION = "westeurope";

async function cores(world: World): Promise<readonly unknown[]> {
  return (await nodesOf(world)).map(({ status }) => status?.capacity?.["cpu"]);
}

test("three machines get another size by one restart each, then one of other hardware by a deallocation each, and stay the same", async () => {
  const world = await resizeWorld();
  const before = await identities(world);
  expect(await cores(world)).toEqual(["2", "2", "2"]);
  await resizeTo(world, "Standard_D4s_v3", { spec: { additionalTags: { team: "blue" } } });
  await world.rest(PATIENCE_MS);
  expect(await identities(world)).toEqual(before);
  expect(virtualMachinesIn(world)).toEqual(Array(3).fill("Standard_D4s_v3 running Succeeded"));
  expect(await cores(world)).toEqual(["4", "4", "4"]);
  expect((await get(world, MachineDeployment, DEPLOYMENT)).status).toMatchObject({
    readyReplicas: 3,
    upToDateReplicas: 3,
  });
  const [{ id } = { id: "" }] = [...world.azure.core.world.virtualMachines.table.entries()].map(
    ([, one]) => one,
  );
  expect(world.azure.core.world.resources.get(id)?.body["tags"]).toMatchObject({ team: "blue" });
  // One with the size, one that adds the tag of the template and removes what was remembered.
  expect(writesTo(world)).toEqual({ PATCH: 6 });

  await resizeTo(world, "Standard_D4ds_v5", { spec: { additionalTags: { team: "blue" } } });
  await world.rest(PATIENCE_MS);
  expect(await identities(world)).toEqual(before);
  expect(virtualMachinesIn(world)).toEqual(Array(3).fill("Standard_D4ds_v5 running Succeeded"));
  expect(writesTo(world)).toEqual({ deallocate: 3, PATCH: 12, start: 3 });
});

test("a size without capacity ends with the old one running, and with Azure's words", async () => {
  const capacities = [{ location: REGION, size: "Standard_D4ds_v5", instances: 0 }];
  const world = await resizeWorld({ azure: { capacities } });
  const before = await identities(world);
  await resizeTo(world, "Standard_D4ds_v5");
  await world.advance(30 * MINUTE_MS);
  expect(virtualMachinesIn(world).toSorted()).toEqual([
    "Standard_D2s_v3 running Succeeded",
    "Standard_D2s_v3 running Succeeded",
    "Standard_D2s_v3 running Succeeded capstan_resize-refused",
  ]);
  expect(await identities(world)).toEqual(before);
  const failed = (await machinesIn(world)).find(({ status }) => status?.update?.state === "Failed");
  expect(JSON.stringify(failed?.status)).toContain(
    "AllocationFailed: Allocation failed. We do not have sufficient capacity",
  );
  const writes = writesTo(world);
  await world.advance(60 * MINUTE_MS);
  expect(writesTo(world), "a refused size is not tried again by itself").toEqual(writes);
  await patch(world, Machine, failed?.metadata.name ?? "", {
    metadata: { annotations: { [RETRY_UPDATE_ANNOTATION]: "1" } },
  });
  await world.advance(30 * MINUTE_MS);
  expect(writesTo(world)["deallocate"], "a user has asked again").toBe((writes["deallocate"] ?? 0) + 1);
});

test("a size that a machine cannot take is refused with the reason before anything is changed", async () => {
  const world = await resizeWorld({}, { replicas: 1 });
  const refusals = {
    Standard_D4s_v5: "temporary disk",
    Standard_Nothing: "is not offered in westeurope",
    Standard_B1s: "kubeadm needs 2 vCPUs",
  };
  for (const [size, reason] of Object.entries(refusals)) {
    await resizeTo(world, size);
    await world.advance(5 * MINUTE_MS);
    const { status } = await get(world, MachineDeployment, DEPLOYMENT);
    const message = getCondition(status?.conditions, "RollingOut")?.message;
    expect(message).toContain(`azure says: infraMachine.spec.vmSize: `);
    expect(message).toContain(reason);
  }
  expect(writesTo(world)).toEqual({});
});
