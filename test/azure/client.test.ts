import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION, type FaultEffect } from "@capstan/azure-sim";
import { AzureError, instanceActions, ScaleSetInstances, type DesiredOperation } from "@capstan/azure";
import { describe, expect, test } from "vitest";
import {
  ClientWorld,
  GROUP,
  identity,
  LOCATION,
  model,
  NETWORK,
  scaleSetID,
  secretOf,
  SUBNET,
} from "./client-world.ts";

const POOL = scaleSetID("pool");
const create = (capacity: number): DesiredOperation => ({
  verb: "PUT",
  resourceID: POOL,
  body: model(capacity),
  isNew: true,
});

/** The number of requests of each kind of write, with any result. */
function writesTo(world: ClientWorld, path: string): readonly string[] {
  return world.sim.control
    .journal()
    .filter((entry) => entry.path.toLowerCase().startsWith(path.toLowerCase()) && entry.method !== "GET")
    .map(({ method, status }) => `${method} ${status}`);
}

describe("our client on the simulated Azure", () => {
  test("logs in through Entra and keeps its token until shortly before its end", async () => {
    const world = new ClientWorld();
    const arm = await world.run(
      world.azure.armFor({ identity: identity(), namespace: "team", controller: "pool" }),
    );
    await world.run(arm.put(GROUP, { location: LOCATION }));
    expect(await world.run(arm.head(GROUP))).toBe(true);
    await world.scheduler.advance(2 * 3_600_000);
    expect(await world.run(arm.head(GROUP))).toBe(true);
    expect(world.azure.meter.counts()).toEqual([
      { operation: "HEAD resourceGroups", controller: "pool", outcome: "ok", calls: 2 },
      { operation: "PUT resourceGroups", controller: "pool", outcome: "ok", calls: 1 },
    ]);
  });

  test("takes a scale set through its life: create, list, roll, shrink, delete", async () => {
    const world = new ClientWorld();
    await world.prepare();
    expect(await world.perform(create(250))).toMatchObject({ outcome: "Succeeded" });
    const arm = world.arm();
    const instances = new ScaleSetInstances(arm, world.process.clock);
    const list = (): ReturnType<ScaleSetInstances["list"]> =>
      world.run(instances.list(POOL, { maxAgeMs: 0, location: LOCATION }));
    const fresh = await list();
    expect(fresh).toHaveLength(250);
    expect(fresh[0]).toMatchObject({
      provisioningState: "Succeeded",
      powerState: "running",
      isLatestModel: true,
      imageVersion: "22.04.202510010",
      providerID: `azure://${POOL}/virtualMachines/${fresh[0]?.instanceID}`,
    });

    const { etag } = await world.run(arm.get(POOL));
    const body = model(250, { version: "22.04.202511010" });
    await world.perform({ verb: "PUT", resourceID: POOL, body, ...(etag !== undefined && { etag }) });
    const ids = (await list())
      .filter(({ isLatestModel }) => !isLatestModel)
      .map(({ instanceID }) => instanceID);
    expect(ids).toHaveLength(250);
    for (const action of instanceActions(POOL, "manualupgrade", ids)) {
      expect(await world.perform(action)).toMatchObject({ outcome: "Succeeded" });
    }
    const rolled = await list();
    expect(
      new Set(rolled.map(({ imageVersion, isLatestModel }) => `${imageVersion} ${isLatestModel}`)),
    ).toEqual(new Set(["22.04.202511010 true"]));

    const doomed = ids.slice(0, 100);
    for (const action of instanceActions(POOL, "delete", doomed)) await world.perform(action);
    expect((await list()).map(({ instanceID }) => instanceID)).toEqual(ids.slice(100));
    expect(await world.perform({ verb: "DELETE", resourceID: POOL })).toMatchObject({ outcome: "Succeeded" });
    expect(await world.failure(arm.get(POOL))).toMatchObject({ class: "Gone", code: "ResourceNotFound" });
    expect(world.sim.control.journal().filter(({ status }) => status === 429)).toEqual([]);
  });

  test("finds out from the state of instances whether an action with a lost answer arrived", async () => {
    const world = new ClientWorld();
    await world.prepare();
    await world.perform(create(3));
    world.sim.control.addFault({
      id: "f",
      match: { method: "POST", path: "/reimage", nth: 1 },
      effect: { kind: "lostResponse" },
    });
    const [action] = instanceActions(POOL, "reimage", ["0", "1"]);
    if (!action) throw new Error("no action");
    expect(await world.perform(action)).toMatchObject({ outcome: "Succeeded" });
    expect(writesTo(world, `${POOL}/reimage`)).toHaveLength(1);
  });
});

describe("what Azure refuses", () => {
  const GHOST_SUBNET = SUBNET.replace("nodes", "ghost");
  const bad = (change: object): DesiredOperation => ({
    verb: "PUT",
    resourceID: POOL,
    body: { ...model(1), ...change },
  });
  const sku = (capacity: number): object => ({ sku: { name: "Standard_D2s_v3", capacity } });

  test.each<[string, DesiredOperation, object]>([
    [
      "a capacity of -1",
      bad(sku(-1)),
      { class: "Terminal", code: "InvalidParameter", target: "sku.capacity" },
    ],
    [
      "a capacity of 1,001",
      bad(sku(1001)),
      { class: "Terminal", code: "InvalidParameter", target: "sku.capacity" },
    ],
    [
      "an image that does not exist",
      { verb: "PUT", resourceID: POOL, body: model(1, { version: "9.9.9" }) },
      { class: "Terminal", status: 404 },
    ],
    [
      "a subnet that does not exist",
      { verb: "PUT", resourceID: POOL, body: model(1, { subnet: GHOST_SUBNET }) },
      { class: "Terminal", code: "InvalidResourceReference" },
    ],
    [
      "a region that does not exist",
      bad({ location: "atlantis" }),
      { class: "Terminal", code: "LocationNotAvailableForResourceType" },
    ],
    [
      "a stale etag",
      { verb: "PUT", resourceID: POOL, body: model(2), etag: '"77"' },
      { class: "Precondition", status: 412 },
    ],
    ["a resource that should not exist yet", create(2), { class: "Precondition", status: 412 }],
    [
      "a subnet that is in use",
      { verb: "DELETE", resourceID: SUBNET },
      { class: "Conflict", code: "InUseSubnetCannotBeDeleted" },
    ],
    [
      "a group that does not exist",
      { verb: "PUT", resourceID: POOL.replace("rg-client", "nowhere"), body: model(1) },
      { class: "Gone", code: "ResourceGroupNotFound" },
    ],
  ])("%s has its class, code and message, and leaves no operation behind", async (_, desired, expected) => {
    const world = new ClientWorld();
    await world.prepare();
    await world.perform(create(1));
    const error = await world.failure(world.perform(desired));
    expect(error).toBeInstanceOf(AzureError);
    expect(error).toMatchObject({
      ...expected,
      message: expect.stringMatching(/\w+ .*\w+/) as string,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
  });

  test.each<[string, string, object, object]>([
    [
      "an api-version that was never served",
      POOL,
      { apiVersion: "2001-01-01" },
      { class: "Terminal", code: "NoRegisteredProviderFound" },
    ],
    [
      "an api-version that is none",
      POOL,
      { apiVersion: "latest" },
      { class: "Terminal", code: "InvalidApiVersionParameter" },
    ],
    [
      "a type that does not exist",
      POOL.replace("virtualMachineScaleSets", "sailingShips"),
      {},
      { class: "Terminal", code: "InvalidResourceType" },
    ],
    [
      "a provider that does not exist",
      POOL.replace("Microsoft.Compute", "Contoso.Ships"),
      { apiVersion: "2024-07-01" },
      { class: "Terminal", code: "InvalidResourceNamespace" },
    ],
    [
      "a subscription that does not exist",
      POOL.replace(DEFAULT_SUBSCRIPTION, "99999999-0000-0000-0000-000000000000"),
      {},
      { class: "Terminal", code: "SubscriptionNotFound" },
    ],
    ["a bad id", "/subscriptions//x", {}, { class: "Terminal", code: "InvalidResourceId" }],
  ])("%s has its class and code", async (_, path, options, expected) => {
    const world = new ClientWorld();
    await world.prepare();
    expect(await world.failure(world.arm().get(path, options))).toMatchObject(expected);
  });

  const issued = (world: ClientWorld, change: object): string =>
    world.sim.issueToken({ ...DEFAULT_PRINCIPAL, ...change }).token;
  test.each<[string, (world: ClientWorld) => string, object]>([
    [
      "an expired token",
      (world) => {
        const token = issued(world, {});
        world.sim.control.advance(7_200_000);
        return token;
      },
      { class: "Auth", code: "ExpiredAuthenticationToken" },
    ],
    [
      "a token of another tenant",
      (world) => issued(world, { tenantId: "another-tenant" }),
      { class: "Auth", code: "InvalidAuthenticationTokenTenant" },
    ],
    [
      "a token of an unknown application",
      (world) => issued(world, { clientId: "unknown" }),
      { class: "Auth", code: "InvalidAuthenticationToken" },
    ],
    ["something that is no token", () => "nonsense", { class: "Auth", code: "InvalidAuthenticationToken" }],
  ])("%s is refused and not used again", async (_, tokenOf, expected) => {
    const world = new ClientWorld();
    const token = tokenOf(world);
    let forgotten = 0;
    const tokens = {
      ...world.tokens(),
      token: () => Promise.resolve({ reveal: () => token } as never),
      forget: () => void forgotten++,
    };
    expect(await world.failure(world.arm(tokens).get(GROUP))).toMatchObject({ ...expected, status: 401 });
    expect(forgotten).toBe(1);
  });

  test("Entra refuses a wrong password, which is not shown", async () => {
    const world = new ClientWorld();
    world.secret = secretOf("wrong-canary-password");
    const request = { identity: identity(), namespace: "team", controller: "pool" };
    const error = await world.failure(world.azure.armFor(request).then((arm) => arm.get(GROUP)));
    expect(error).toMatchObject({ class: "Auth", code: "AADSTS7000215", status: 401 });
    expect(JSON.stringify([error, String((error as Error).stack)])).not.toContain("canary");
  });

  test("Entra refuses an unknown tenant", async () => {
    const world = new ClientWorld();
    const tenantID = "99999999-9999-9999-9999-999999999999";
    const arm = await world.run(
      world.azure.armFor({ identity: identity({ tenantID }), namespace: "team", controller: "pool" }),
    );
    expect(await world.failure(arm.get(GROUP))).toMatchObject({ class: "Auth" });
  });

  test("a principal without a role is refused", async () => {
    const world = new ClientWorld({ settings: { principals: [{ ...DEFAULT_PRINCIPAL, role: "Reader" }] } });
    expect(await world.failure(world.arm().put(GROUP, { location: LOCATION }))).toMatchObject({
      class: "Auth",
      code: "AuthorizationFailed",
      status: 403,
    });
  });
});

describe("an operation that fails", () => {
  const failing: readonly [FaultEffect, object][] = [
    [
      { kind: "operationFails", code: "AllocationFailed", message: "no room" },
      { outcome: "Failed", error: { class: "Capacity", code: "AllocationFailed", message: "no room" } },
    ],
    [
      { kind: "failedButApplied", code: "InternalExecutionError" },
      { outcome: "Failed", error: { class: "Transient" } },
    ],
  ];
  test.each(failing)("is reported with Azure's reason: %j", async (effect, expected) => {
    const world = new ClientWorld();
    await world.prepare();
    world.sim.control.addFault({ id: "f", match: { operation: "PUT virtualMachineScaleSets" }, effect });
    expect(await world.perform(create(2))).toMatchObject(expected);
  });

  test("because of a newer write of another client is reported as preempted", async () => {
    const world = new ClientWorld();
    await world.prepare();
    const following = world.follow(world.arm(), create(5));
    await world.scheduler.advance(1000);
    world.sim.control.setCapacity(POOL, 7);
    expect(await world.run(following)).toMatchObject({
      outcome: "Preempted",
      error: { class: "Preempted", code: "OperationPreempted" },
    });
  });

  test("only in its polls continues", async () => {
    const world = new ClientWorld();
    await world.prepare();
    const effect: FaultEffect = { kind: "status", status: 503, code: "ServiceUnavailable" };
    world.sim.control.addFault({ id: "f", match: { path: "/operations/", times: 3 }, effect });
    expect(await world.perform(create(2))).toMatchObject({ outcome: "Succeeded" });
    expect(writesTo(world, POOL)).toEqual(["PUT 201"]);
  });

  test.each<FaultEffect>([{ kind: "lostResponse" }, { kind: "drop" }])(
    "because of a lost message (%j) is sent as often as it has to be",
    async (effect) => {
      const world = new ClientWorld();
      await world.prepare();
      world.sim.control.addFault({
        id: "f",
        match: { method: "PUT", path: "/virtualMachineScaleSets/", nth: 1 },
        effect,
      });
      expect(await world.perform(create(2))).toMatchObject({ outcome: "Succeeded" });
      expect(writesTo(world, POOL).filter((write) => write === "PUT 201")).toHaveLength(1);
    },
  );

  test("with a network part that has no tags is recognized by its fields", async () => {
    const world = new ClientWorld();
    await world.prepare();
    const resourceID = `${NETWORK}/subnets/more`;
    world.sim.control.addFault({
      id: "f",
      match: { method: "PUT", path: "/subnets/more", nth: 1 },
      effect: { kind: "lostResponse" },
    });
    const body = { properties: { addressPrefix: "10.2.0.0/16" } };
    expect(await world.perform({ verb: "PUT", resourceID, body, hasNoTags: true })).toMatchObject({
      outcome: "Succeeded",
    });
    expect(writesTo(world, resourceID)).toHaveLength(1);
  });
});
