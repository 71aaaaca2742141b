import { DEFAULT_SUBSCRIPTION, type FaultEffect, type FaultMatch } from "@capstan/azure-sim";
import { expect, test } from "vitest";
import {
  all,
  type Cloud,
  finish,
  GROUP,
  LOCATION,
  scaleSet,
  startCloud,
  withNetwork,
  withScaleSet,
} from "./cloud.ts";

const GROUP_ID = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${GROUP}`;
const V = "api-version=2024-07-01";

function faulty(effect: FaultEffect, match: FaultMatch = { method: "PUT" }): Cloud {
  const cloud = startCloud();
  cloud.azure.control.addFault({ id: "fault", match, effect });
  return cloud;
}

const put = (cloud: Cloud): Promise<{ status: number; body: unknown }> =>
  cloud.send("PUT", `${GROUP_ID}?${V}`, { body: { location: LOCATION } });
const groups = (cloud: Cloud): Promise<unknown[]> => all(cloud.resources.resourceGroups.list());

test("a refusal has no effect and hits only the requests it is meant for", async () => {
  const effect = { kind: "status", status: 503, code: "ServiceUnavailable" } as const;
  const cloud = faulty(effect, { method: "PUT", nth: 2 });
  expect((await put(cloud)).status).toBe(201);
  const refused = await put(cloud);
  expect([refused.status, refused.body]).toMatchObject([503, { error: { code: "ServiceUnavailable" } }]);
  expect((await put(cloud)).status).toBe(200);
});

test("a dropped request has no effect, a lost answer has one, and neither answers", async () => {
  const dropped = faulty({ kind: "drop" });
  await expect(put(dropped)).rejects.toMatchObject({ name: "TransportError", failure: "reset" });
  expect(await groups(dropped)).toEqual([]);
  const lost = faulty({ kind: "lostResponse" });
  await expect(put(lost)).rejects.toMatchObject({ name: "TransportError", failure: "reset" });
  expect((await groups(lost)).length).toBe(1);
});

test("a delayed answer comes when its time has passed", async () => {
  const cloud = faulty({ kind: "delay", ms: 30_000 });
  let answered = false;
  const answer = put(cloud).then(({ status }) => {
    answered = true;
    return status;
  });
  await cloud.scheduler.advance(29_000);
  expect(answered).toBe(false);
  await cloud.scheduler.advance(2000);
  expect(await answer).toBe(201);
});

test("an operation that fails leaves its instances failed", async () => {
  const cloud = faulty(
    { kind: "operationFails", code: "OSProvisioningTimedOut" },
    { path: "/pool", method: "PUT" },
  );
  await expect(withScaleSet(cloud, 2)).rejects.toThrow("OSProvisioningTimedOut");
  expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).provisioningState).toBe("Failed");
});

test("an operation can say that it failed although everything is done", async () => {
  const cloud = faulty(
    { kind: "failedButApplied", code: "InternalExecutionError" },
    { path: "/pool", method: "PUT" },
  );
  await expect(withScaleSet(cloud, 2)).rejects.toThrow("InternalExecutionError");
  expect((await cloud.compute.virtualMachineScaleSets.get(GROUP, "pool")).provisioningState).toBe(
    "Succeeded",
  );
});

test("some of the instances fail, the same ones for the same seed", async () => {
  const failed = async (): Promise<(string | undefined)[]> => {
    const effect = { kind: "someInstancesFail", share: 0.3, code: "VMExtensionProvisioningError" } as const;
    const cloud = faulty(effect, { operation: "PUT virtualMachineScaleSets" });
    await expect(withScaleSet(cloud, 30)).rejects.toThrow("VMExtensionProvisioningError");
    const instances = await all(cloud.compute.virtualMachineScaleSetVMs.list(GROUP, "pool"));
    return instances.filter((one) => one.provisioningState === "Failed").map((one) => one.instanceId);
  };
  const first = await failed();
  expect(first.length).toBeGreaterThan(2);
  expect(first.length).toBeLessThan(20);
  expect(await failed()).toEqual(first);
});

test("a failed network operation leaves the resource failed until it is written again", async () => {
  const cloud = faulty(
    { kind: "operationFails", code: "NetworkingInternalOperationError" },
    { path: "/virtualNetworks/", times: 1 },
  );
  await expect(withNetwork(cloud)).rejects.toThrow("NetworkingInternalOperationError");
  expect((await cloud.network.virtualNetworks.get(GROUP, "net")).provisioningState).toBe("Failed");
  await withNetwork(cloud);
  expect((await cloud.network.virtualNetworks.get(GROUP, "net")).provisioningState).toBe("Succeeded");
});

test("a group whose deletion fails is there as before, and can be deleted later", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const effect = { kind: "operationFails", code: "InternalExecutionError" } as const;
  cloud.azure.control.addFault({ id: "stuck", match: { method: "DELETE", times: 1 }, effect });
  const { resourceGroups } = cloud.resources;
  await expect(finish(cloud, resourceGroups.delete(GROUP))).rejects.toThrow(effect.code);
  expect((await resourceGroups.get(GROUP)).properties?.provisioningState).toBe("Succeeded");
  expect((await cloud.network.virtualNetworks.get(GROUP, "net")).provisioningState).toBe("Succeeded");
  await finish(cloud, resourceGroups.delete(GROUP));
  await expect(resourceGroups.get(GROUP)).rejects.toMatchObject({ statusCode: 404 });
});

test("a locked group cannot be deleted, and a denied type cannot be created", async () => {
  const cloud = startCloud();
  await withNetwork(cloud);
  const { control } = cloud.azure;
  control.forbid({ name: "lock", scope: GROUP_ID, kind: "CanNotDelete" });
  control.forbid({
    name: "no-sets",
    scope: GROUP_ID,
    kind: "DenyByPolicy",
    type: "Microsoft.Compute/virtualMachineScaleSets",
  });
  await expect(cloud.resources.resourceGroups.delete(GROUP).submitted()).rejects.toMatchObject({
    statusCode: 409,
    code: "ScopeLocked",
  });
  const create = (): Promise<unknown> =>
    cloud.compute.virtualMachineScaleSets.createOrUpdate(GROUP, "pool", scaleSet(1)).submitted();
  await expect(create()).rejects.toMatchObject({ statusCode: 403, code: "RequestDisallowedByPolicy" });
  control.allow("no-sets");
  await create();
  control.allow("lock");
  await finish(cloud, cloud.resources.resourceGroups.delete(GROUP));
});

test("reads may miss for a while what was just created", async () => {
  const cloud = startCloud({ settings: { consistencyLag: { p50: 5, p90: 6 } } });
  await cloud.resources.resourceGroups.createOrUpdate(GROUP, { location: LOCATION });
  const path = `${GROUP_ID}/providers/Microsoft.Network/publicIPAddresses/ip?${V}`;
  expect((await cloud.send("PUT", path, { body: { location: LOCATION } })).status).toBe(201);
  expect((await cloud.send("GET", path)).status).toBe(404);
  await cloud.scheduler.advance(600_000);
  expect((await cloud.send("GET", path)).status).toBe(200);
});

test("instances whose deletion fails are still there and count again, and the set can be deleted later", async () => {
  const cloud = startCloud();
  await withScaleSet(cloud, 2);
  const effect = { kind: "operationFails", code: "InternalExecutionError" } as const;
  cloud.azure.control.addFault({ id: "stuck", match: { path: "/pool", times: 2 }, effect });
  const sets = cloud.compute.virtualMachineScaleSets;
  await expect(finish(cloud, sets.deleteInstances(GROUP, "pool", { instanceIds: ["0"] }))).rejects.toThrow(
    effect.code,
  );
  expect(cloud.azure.control.state().scaleSets).toMatchObject([
    { capacity: 2, instances: { Failed: 1, Succeeded: 1 } },
  ]);
  await expect(finish(cloud, sets.delete(GROUP, "pool"))).rejects.toThrow(effect.code);
  expect((await sets.get(GROUP, "pool")).provisioningState).toBe("Failed");
  expect(cloud.azure.control.state().scaleSets).toMatchObject([{ capacity: 2 }]);
  await finish(cloud, sets.delete(GROUP, "pool"));
  expect(cloud.azure.control.state().scaleSets).toEqual([]);
});
