/** Bad inputs and hostile situations of pools and their machines, by their numbers. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  Event,
  type Frozen,
  getCondition,
  MachinePool,
  Node,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import type { Client } from "@capstan/runtime";
import { azureMachinePoolMachine } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { MACHINE_POOL_INVARIANTS, type World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { Deployment } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { azureBytes, type Twist, withBody } from "../bad-input/numbered-world.ts";
import { find, get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import { poolControllers } from "../kit/pool-controllers.ts";
import {
  armCalls,
  CLUSTER,
  createPool,
  machinesOf,
  namesOf,
  NEW_VERSION,
  nodesOf,
  onSet,
  poolOf,
  type PoolOptions,
  poolWorld,
  readyMachines,
  setBody,
  settled,
} from "../kit/pool-world.ts";

expect.extend(conditionMatchers);

const HOUR_MS = 60 * MINUTE_MS;
const VERSION = { spec: { template: { spec: { version: NEW_VERSION } } } };
const sized = (replicas: number | null) => ({ spec: { replicas } });
const rolling = (rollingUpdate: object) => ({ spec: { strategy: { rollingUpdate } } });
const templated = (template: object) => ({ spec: { template } });

async function withPool(options: PoolOptions = {}, twist?: { now?: Twist }): Promise<World> {
  const world = await poolWorld(twist ? { controllers: twistedPools(twist) } : {});
  await createPool(world, "mp", options);
  await settled(world);
  return world;
}

function twistedPools(twist: { now?: Twist }): typeof poolControllers {
  return (connections) => {
    const request: typeof connections.azure.request = async (sent) => {
      const answer = await connections.azure.request(sent);
      return twist.now ? twist.now(sent, answer) : answer;
    };
    return poolControllers({ ...connections, azure: { ...connections.azure, request } });
  };
}

/** A world with a pool `mp` whose machines exist. */
async function withEmptyPool(): Promise<World> {
  return withPool({ replicas: 0 });
}

const change = (world: World, body: object): Promise<void> => patch(world, AzureMachinePool, "mp", body);
const resize = (world: World, body: object): Promise<void> => patch(world, MachinePool, "mp", body);

async function versionsOf(world: World): Promise<readonly (string | undefined)[]> {
  return (await machinesOf(world, "mp")).map(({ status }) => status?.version);
}

function lowest(world: World): number | undefined {
  return world.truth.pools().find(({ name }) => name === "mp")?.lowest?.available;
}

describe("rejected with path and value", () => {
  const surge = "spec\\.strategy\\.rollingUpdate\\.max";
  // Every case leaves the pool and Azure as they were, and so serves the next one.
  let shared: Promise<World> | undefined;
  const unchanged = (): Promise<World> => (shared ??= withEmptyPool());
  test.each<[string, object, RegExp]>([
    [
      "1 neither surge nor unavailability",
      rolling({ maxSurge: 0, maxUnavailable: 0 }),
      /spec\.strategy\.rollingUpdate: Invalid value: maxSurge and maxUnavailable must not both be 0/,
    ],
    [
      "2 maxUnavailable 150%",
      rolling({ maxUnavailable: "150%" }),
      new RegExp(`${surge}Unavailable: Invalid value: "150%"`),
    ],
    [
      "3 maxSurge with a space",
      rolling({ maxSurge: "10 %" }),
      new RegExp(`${surge}Surge: Invalid value: "10 %"`),
    ],
    ["3 maxSurge -1 as text", rolling({ maxSurge: "-1" }), new RegExp(`${surge}Surge: Invalid value: "-1"`)],
    ["3 maxSurge 1.5", rolling({ maxSurge: "1.5" }), new RegExp(`${surge}Surge: Invalid value: "1\\.5"`)],
    [
      "3 maxSurge in other digits",
      rolling({ maxSurge: "٣%" }),
      new RegExp(`${surge}Surge: Invalid value: "٣%"`),
    ],
    [
      "3 maxSurge with a sign",
      rolling({ maxSurge: "+5%" }),
      new RegExp(`${surge}Surge: Invalid value: "\\+5%"`),
    ],
    [
      "3 maxUnavailable with a sign",
      rolling({ maxUnavailable: "+5%" }),
      new RegExp(`${surge}Unavailable: Invalid value: "\\+5%"`),
    ],
    ["3 an empty maxSurge", rolling({ maxSurge: "" }), new RegExp(`${surge}Surge: Invalid value: ""`)],
    ["3 maxSurge true", rolling({ maxSurge: true }), new RegExp(`${surge}Surge`)],
    [
      "6 deletePolicy in lower case",
      rolling({ deletePolicy: "oldest" }),
      /deletePolicy: Unsupported value: "oldest": supported values: "Random", "Newest", "Oldest"/,
    ],
    [
      "7 a negative nodeDrainTimeout",
      { spec: { nodeDrainTimeout: "-5m" } },
      /spec\.nodeDrainTimeout: Invalid value: "-5m"/,
    ],
    [
      "7 nodeDrainTimeout in years",
      { spec: { nodeDrainTimeout: "1y" } },
      /spec\.nodeDrainTimeout: Invalid value: "1y"/,
    ],
    [
      "7 nodeDrainTimeout beyond all numbers",
      { spec: { nodeDrainTimeout: "9e99h" } },
      /spec\.nodeDrainTimeout: Invalid value: "9e99h"/,
    ],
    [
      "10 two images",
      templated({
        image: {
          marketplace: { publisher: "p", offer: "o", sku: "s", version: "1" },
          computeGallery: { gallery: "g", name: "n", version: "1.0.0" },
        },
      }),
      /spec\.template\.image: Invalid value: set exactly one of id, marketplace/,
    ],
  ])("%s", async (_, body, expected) => {
    const world = await unchanged();
    const before = azureBytes(world);
    await expect(change(world, body)).rejects.toThrow(expected);
    await world.advance(10 * MINUTE_MS);
    expect(azureBytes(world)).toBe(before);
  });

  test("5 replicas -1", async () => {
    const world = await withEmptyPool();
    await expect(resize(world, sized(-1))).rejects.toThrow(/spec\.replicas: Invalid value: -1/);
  });

  test("8 a name that is too long for a computer name", async () => {
    const world = await poolWorld();
    await expect(createPool(world, "m".repeat(70))).rejects.toThrow(/metadata\.name: Invalid value: "m+"/);
  });

  test.each([
    ["34 an invalid providerID", "not-an-id"],
    [
      "34 a providerID with a slash at its end",
      "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/mp/virtualMachines/0/",
    ],
  ])("%s", async (_, providerID) => {
    const world = await withEmptyPool();
    const metadata = { name: "mp-0" };
    await expect(
      world.run(
        world.user.create(
          AzureMachinePoolMachine,
          azureMachinePoolMachine({ metadata, spec: { providerID } }),
        ),
      ),
    ).rejects.toThrow(/spec\.providerID: Invalid value/);
  });
});

describe("a pool", () => {
  test("4 whose percentages round to 0 rolls one by one, and reports it", async () => {
    const world = await withPool({ strategy: { maxSurge: 0, maxUnavailable: "10%" } });
    const { status } = (await poolOf(world, "mp")).pool;
    expect(getCondition(status?.conditions, "RolloutProgressing")).toMatchObject({
      status: "True",
      message:
        'maxSurge 0 and maxUnavailable "10%" round to 0 for 3 machines; 1 machine at a time may be unavailable',
    });
    await resize(world, VERSION);
    await settled(world);
    expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    expect(lowest(world)).toBe(2);
  });

  test("5 of a billion machines reports Azure's message about the limit, and keeps its machines", async () => {
    const world = await withPool({ replicas: 1 });
    await resize(world, sized(1e9));
    await world.advance(HOUR_MS);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("ScaleSetRunning", "False");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0"]);
  });

  test("5 whose replicas are null keeps its number, or has one", async () => {
    const world = await withPool({ replicas: 2 });
    await resize(world, sized(null));
    await settled(world);
    expect((await get(world, MachinePool, "mp")).spec.replicas).toBeGreaterThanOrEqual(1);
    expect((await readyMachines(world, "mp")).length).toBe(
      (await get(world, MachinePool, "mp")).spec.replicas,
    );
  });

  test("7 whose nodeDrainTimeout is 0s waits forever", async () => {
    const world = await withPool({ replicas: 2, spec: { nodeDrainTimeout: "0s" } });
    await blockDrains(world);
    await remove(world, AzureMachinePoolMachine, "mp-1");
    await world.advance(3 * HOUR_MS);
    expect(await namesOf(world, "mp")).toContain("mp-1");
    expect(world.azure.control.state().scaleSets[0]).toMatchObject({ capacity: 3 });
  });

  test("9 whose scale set belongs to another pool reports it and touches nothing", async () => {
    const world = await withPool({ replicas: 1 });
    const { capstan_pool: _, ...tags } = (setBody(world, "mp") as { tags: Record<string, string> }).tags;
    await onSet(world, "PATCH", "mp", { tags: { ...tags, capstan_pool: "other/mp" } });
    await world.advance(MINUTE_MS);
    const before = JSON.stringify(setBody(world, "mp"));
    await resize(world, sized(3));
    await world.advance(HOUR_MS);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("ScaleSetRunning", "False", "ScaleSetForeign");
    expect(JSON.stringify(setBody(world, "mp"))).toBe(before);
  });

  test("11 whose image does not exist keeps its old model and machines", async () => {
    const world = await withPool({ replicas: 2 });
    const before = JSON.stringify(setBody(world, "mp"));
    const image = {
      computeGallery: {
        gallery: "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019",
        name: "capi-ubun2-2404",
        version: "9.9.9",
      },
    };
    await change(world, templated({ image }));
    await world.advance(HOUR_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("ScaleSetRunning", "False", "ScaleSetProvisionFailed");
    expect(JSON.stringify(setBody(world, "mp"))).toBe(before);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("12 whose size is of another architecture than its image reports Azure's message and keeps its machines", async () => {
    const world = await withPool({ replicas: 2 });
    await change(world, templated({ vmSize: "Standard_D2ps_v5" }));
    await world.advance(2 * HOUR_MS);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("ScaleSetRunning", "False");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    expect(lowest(world)).toBe(2);
  });

  test("13 whose surge becomes smaller in mid-rollout deletes no available machine", async () => {
    const world = await withPool({ strategy: { maxSurge: 3, maxUnavailable: 0 } });
    await resize(world, VERSION);
    await world.advance(40_000);
    await change(world, rolling({ maxSurge: 1 }));
    await settled(world);
    expect(await versionsOf(world)).toEqual([NEW_VERSION, NEW_VERSION, NEW_VERSION]);
    expect(lowest(world)).toBe(3);
  });

  test("14 that is scaled to 0 in mid-rollout is drained and emptied", async () => {
    const world = await withPool();
    await resize(world, VERSION);
    await world.advance(90_000);
    await resize(world, sized(0));
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual([]);
    expect(await nodesOf(world)).toEqual([]);
  });

  test("15 whose status a user edits reports the true state again", async () => {
    const world = await withPool({ replicas: 2 });
    const place = { name: "mp", namespace: NAMESPACE };
    const instances = [{ instanceID: "9", latestModelApplied: true }];
    const failure = { failureReason: "Made", failureMessage: "up" };
    await say(world, AzureMachinePool, place, { replicas: 7, ready: false, instances, ...failure });
    await say(
      world,
      AzureMachinePoolMachine,
      { ...place, name: "mp-0" },
      { latestModelApplied: false, ready: false },
    );
    await world.advance(30 * MINUTE_MS);
    const { status } = (await poolOf(world, "mp")).pool;
    expect(status).toMatchObject({ replicas: 2, ready: true });
    expect(Object.keys(status ?? {}).filter((field) => /^failure|^instances$/.test(field))).toEqual([]);
    const [machine] = await machinesOf(world, "mp");
    expect(machine?.status).toMatchObject({ latestModelApplied: true, ready: true });
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test("16 whose MachinePool was removed by force is deleted, too, without a crash", async () => {
    const world = await withPool({ replicas: 2 });
    await resize(world, { metadata: { finalizers: null } });
    await remove(world, MachinePool, "mp");
    await settled(world);
    expect(await find(world, AzureMachinePool, "mp")).toBeUndefined();
    expect([...world.azure.core.world.scaleSets.sets.entries()]).toEqual([]);
    expect(world.managers.running().map(({ process }) => process.name)).toEqual(["manager-1"]);
  });

  test("17 that an autoscaler sizes keeps its size with any spec.replicas", async () => {
    const annotations = { "cluster.x-k8s.io/replicas-managed-by": "cluster-autoscaler" };
    const world = await withPool({ replicas: 2, annotations });
    await onSet(world, "PATCH", "mp", { sku: { capacity: 3 } });
    await settled(world);
    await resize(world, sized(1));
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
    expect((await get(world, MachinePool, "mp")).spec.replicas).toBe(3);
  });

  test("18 that is changed 200 times in ten seconds has the last model, and few in between", async () => {
    const world = await withPool();
    for (let index = 0; index < 200; index++) {
      await change(world, templated({ terminateNotificationTimeout: 5 + (index % 11) }));
      await world.advance(50);
    }
    await change(world, templated({ terminateNotificationTimeout: 15 }));
    const writes = armCalls(world).filter((call) => call.startsWith("PUT ") && call.endsWith("/mp")).length;
    await settled(world);
    const puts = armCalls(world).filter((call) => call.startsWith("PUT ") && call.endsWith("/mp")).length;
    expect(puts, "one for each wave and a few for what was wanted meanwhile").toBeLessThanOrEqual(10);
    expect(writes).toBeLessThanOrEqual(5);
    const { pool } = await poolOf(world, "mp");
    const hashes = (await machinesOf(world, "mp")).map(({ status }) => status?.modelHash);
    expect(new Set(hashes)).toEqual(new Set([pool.status?.modelHash]));
    expect(JSON.stringify(setBody(world, "mp"))).toContain("PT15M");
    expect(lowest(world)).toBe(3);
  });
});

const PODS = { app: "web" };

function workloadOf(world: World): Client {
  const workload = world.workload(CLUSTER);
  if (!workload) throw new Error("the cluster has no API server");
  return workload;
}

const WEB = { name: "web", namespace: NAMESPACE };

async function runPods(world: World): Promise<void> {
  const selector = { matchLabels: PODS };
  const template = { metadata: { labels: PODS }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  const deployment = { metadata: WEB, spec: { replicas: 4, selector, template } };
  await world.run(workloadOf(world).create(Deployment, deployment));
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 4, 10 * MINUTE_MS);
}

/** Runs pods whose budget never allows a disruption. */
async function blockDrains(world: World): Promise<void> {
  await runPods(world);
  const spec = { maxUnavailable: 0, selector: { matchLabels: PODS } };
  await world.run(workloadOf(world).create(PodDisruptionBudget, { metadata: WEB, spec }));
}

async function say(
  world: World,
  kind: typeof AzureMachinePool | typeof AzureMachinePoolMachine,
  place: { readonly name: string; readonly namespace: string },
  status: object,
): Promise<void> {
  const request = { type: "merge", subresource: "status", body: { status } } as const;
  const any = kind as unknown as Parameters<World["user"]["patch"]>[0];
  await world.run(world.user.patch(any, place, request));
}

/** A user writes the resource of a machine. */
async function byHand(world: World, providerID: string, name = "by-hand"): Promise<void> {
  const owner = await get(world, AzureMachinePool, "mp");
  const { uid = "" } = owner.metadata;
  const metadata = {
    name,
    labels: {
      "azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool": "mp",
      "cluster.x-k8s.io/cluster-name": CLUSTER,
    },
    ownerReferences: [
      {
        apiVersion: AzureMachinePool.apiVersion,
        kind: AzureMachinePool.kind,
        name: "mp",
        uid,
        controller: true,
      },
    ],
  };
  const instanceID = /\d+$/.exec(name)?.[0];
  const machine = azureMachinePoolMachine({ metadata, spec: { providerID, instanceID } });
  await world.run(world.user.create(AzureMachinePoolMachine, machine));
}

/** A Ready Node that claims to be the machine. */
async function createImpostor(
  world: World,
  machine: Frozen<AzureMachinePoolMachine> | undefined,
): Promise<void> {
  const workload = workloadOf(world);
  const place = { name: "impostor" };
  const spec = { providerID: machine?.spec.providerID ?? "" };
  await world.run(workload.create(Node, { metadata: place, spec }));
  const lastTransitionTime = new Date(world.scheduler.wallMs).toISOString();
  const body = { status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] } };
  await world.run(workload.patch(Node, place, { type: "merge", subresource: "status", body }));
}

/** The writes since then that evict pods from a Node or cordon it. */
function writesAgainstPods({ trace }: World, since: number): readonly string[] {
  return trace.events.slice(since).flatMap(({ happening }) => {
    if (happening.kind !== "write") return [];
    const { verb, resource, subresource, name } = happening;
    const isAgainst = subresource === "eviction" || (resource === "nodes" && subresource === undefined);
    return isAgainst ? [`${verb} ${resource} ${name}`] : [];
  });
}

/** Removes resources at once, while no manager runs that could restore their finalizers. */
async function forget(world: World, names: readonly string[]): Promise<void> {
  world.managers.crash(1, MINUTE_MS);
  for (const name of names) {
    await patch(world, AzureMachinePoolMachine, name, { metadata: { finalizers: null } });
    await remove(world, AzureMachinePoolMachine, name);
  }
}

describe("a machine", () => {
  test.each<[string, (id: string) => string]>([
    [
      "34 of another subscription",
      (id) => id.replace("00000000-0000-0000-0000-000000000000", "99999999-0000-0000-0000-000000000000"),
    ],
    ["34 of another scale set", (id) => id.replace("/mp/", "/mp-10/")],
  ])("%s is left alone: nothing in Azure is touched for it", async (_, twist) => {
    const world = await withPool({ replicas: 2 });
    const [machine] = await machinesOf(world, "mp");
    const before = azureBytes(world);
    const calls = armCalls(world).length;
    await byHand(world, twist(machine?.spec.providerID ?? ""));
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
    const writes = armCalls(world)
      .slice(calls)
      .filter((call) => !call.startsWith("GET"));
    expect(writes).toEqual([]);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
  });

  test.each<[string, (id: string) => string, string?]>([
    ["34 in upper case", (id) => id.replace(/subscriptions.*/, (text) => text.toUpperCase())],
    ["34 that is there twice", (id) => id],
    ["34 that has the name of another instance's", (id) => id, "mp-7"],
  ])(
    "%s still represents one instance, which no controller deletes or drains",
    async (_, twist, name = "by-hand") => {
      // A user has created the second resource of one instance here, so it is not a violation by the controllers.
      const invariants = MACHINE_POOL_INVARIANTS.filter((one) => one.name !== "one-resource-per-instance");
      const world = await poolWorld({ invariants });
      await createPool(world, "mp", { replicas: 2 });
      await settled(world);
      await runPods(world);
      const [machine] = await machinesOf(world, "mp");
      const [before, happened] = [azureBytes(world), world.trace.events.length];
      await byHand(world, twist(machine?.spec.providerID ?? ""), name);
      await world.advance(HOUR_MS);
      expect(azureBytes(world)).toBe(before);
      expect(writesAgainstPods(world, happened)).toEqual([]);
      expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
      expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-1"]);
    },
  );

  test("35 that a user created for a missing VM is deleted, and no VM is created for it", async () => {
    const world = await withPool({ replicas: 2 });
    const [machine] = await machinesOf(world, "mp");
    await byHand(world, (machine?.spec.providerID ?? "").replace(/0$/, "77"));
    await settled(world);
    expect(await namesOf(world, "mp")).toEqual(["mp-0", "mp-1"]);
    expect(world.azure.control.state().scaleSets[0]).toMatchObject({ capacity: 2 });
  });

  test("36 whose drain a budget blocks waits until the timeout, and names pod and budget", async () => {
    const world = await withPool({ replicas: 2, spec: { nodeDrainTimeout: "30m" } });
    await blockDrains(world);
    await remove(world, AzureMachinePoolMachine, "mp-1");
    await world.advance(20 * MINUTE_MS);
    const [, blocked] = await machinesOf(world, "mp");
    const drained = blocked?.status?.conditions?.find(({ type }) => type === "Drained");
    expect(drained).toMatchObject({ status: "False", reason: "DrainBlocked" });
    expect(drained?.message).toMatch(/default\/web-.*default\/web|default\/web-.*budget/s);
    expect(blocked?.status?.ready).toBe(false);
    const { pool } = await poolOf(world, "mp");
    expect(pool).toHaveCondition("RolloutProgressing", "False", "DrainBlocked");
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-2"]);
    const events = await world.run(world.user.list(Event));
    expect(events.map(({ reason }) => reason)).toContain("DrainTimedOut");
  });

  test("37 whose finalizer a user removes leaves no unknown VM behind", async () => {
    const world = await withPool({ replicas: 2 });
    await forget(world, ["mp-1"]);
    await settled(world);
    const machines = await namesOf(world, "mp");
    expect(machines).toHaveLength(2);
    expect(world.azure.control.state().scaleSets[0]).toMatchObject({ capacity: 2 });
  });

  test.each(["yes", "v1-", "true"])(
    "38 with the annotation updateInstance: %s of a user costs nothing",
    async (value) => {
      const world = await withPool({ replicas: 2, strategy: { maxSurge: 0, maxUnavailable: 1 } });
      const annotations = { [UPDATE_INSTANCE_ANNOTATION]: value };
      for (const name of ["mp-0", "mp-1"])
        await patch(world, AzureMachinePoolMachine, name, { metadata: { annotations } });
      await world.advance(2 * HOUR_MS);
      expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
      expect(lowest(world)).toBe(2);
    },
  );

  test("38 with the annotation updateInstance of a user, well written, on all machines is removed", async () => {
    const world = await withPool({ replicas: 3, strategy: { maxSurge: 0, maxUnavailable: 1 } });
    const annotations = { [UPDATE_INSTANCE_ANNOTATION]: "v1-0123456789abcdef" };
    for (const name of ["mp-0", "mp-1", "mp-2"])
      await patch(world, AzureMachinePoolMachine, name, { metadata: { annotations } });
    await world.advance(2 * HOUR_MS);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2"]);
    expect(lowest(world)).toBe(3);
    for (const { metadata } of await machinesOf(world, "mp"))
      expect(metadata.annotations).not.toHaveProperty([UPDATE_INSTANCE_ANNOTATION]);
    const events = await world.run(world.user.list(Event));
    expect(events.map(({ reason }) => reason)).toContain("UpdateNotPlanned");
  });

  test("39 whose providerID another Node claims is not drained for it, and its MachinePool reports it", async () => {
    const world = await withPool({ replicas: 2 });
    const [machine] = await machinesOf(world, "mp");
    await createImpostor(world, machine);
    await world.advance(10 * MINUTE_MS);
    const { machinePool } = await poolOf(world, "mp");
    expect(machinePool).toHaveCondition("ReplicasReady", "False", "ProviderIDNotUnique");
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    await remove(world, AzureMachinePoolMachine, "mp-0");
    await world.advance(30 * MINUTE_MS);
    const node = await world.run(workloadOf(world).get(Node, { name: "impostor" }));
    expect(node.spec?.unschedulable).toBeUndefined();
    expect((await nodesOf(world)).map(({ metadata }) => metadata.name)).toContain("impostor");
  });

  test("39 that has not joined is not available because of another Node that claims to be it, and reports it", async () => {
    const world = await poolWorld({ guests: { boot: { p50: 1200, p90: 1201 } } });
    await createPool(world, "mp", { replicas: 2, strategy: { maxSurge: 1, maxUnavailable: 0 } });
    await world.advance(HOUR_MS);
    await resize(world, VERSION);
    await world.advance(5 * MINUTE_MS);
    await createImpostor(world, (await machinesOf(world, "mp"))[2]);
    await world.advance(10 * MINUTE_MS);
    expect(await namesOf(world, "mp"), "no other goes for it").toEqual(["mp-0", "mp-1", "mp-2"]);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1"]);
    const [, , booting] = await machinesOf(world, "mp");
    expect(booting).toHaveCondition("NodeHealthy", "False", "NodeDisputed");
  });
});

describe("when the servers around a pool fail", () => {
  test("91 an API server that is down for an hour costs no machine", async () => {
    const world = await withPool({ replicas: 4 });
    const before = azureBytes(world);
    world.addFault({ fault: "kube-unavailable", when: { trigger: { probability: 1 } } });
    await world.advance(HOUR_MS);
    await world.heal();
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
  });

  test("91 a server that comes back from an old backup, without the machines: they get their resources again", async () => {
    const world = await withPool({ replicas: 4 });
    const before = azureBytes(world);
    await forget(world, await namesOf(world, "mp"));
    await settled(world);
    expect(await readyMachines(world, "mp")).toHaveLength(4);
    expect(JSON.parse(azureBytes(world))).toEqual(JSON.parse(before));
  });

  test("92 an empty list of Azure removes nothing, and the pool reports it", async () => {
    const twist: { now?: Twist } = {};
    const world = await withPool({ replicas: 4 }, twist);
    twist.now = (request, answer) =>
      request.method === "GET" && /\/virtualMachines\?/.test(request.path)
        ? withBody(answer, () => JSON.stringify({ value: [] }))
        : Promise.resolve(answer);
    const calls = armCalls(world).length;
    await world.advance(14 * MINUTE_MS);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("RemovalBlocked", "True");
    expect(await namesOf(world, "mp")).toHaveLength(4);
    delete twist.now;
    await settled(world);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
    expect(
      armCalls(world)
        .slice(calls)
        .filter((call) => !call.startsWith("GET")),
    ).toEqual([]);
    expect((await poolOf(world, "mp")).pool).toHaveCondition("Ready", "True");
  });

  test("92 an empty list of Kubernetes removes nothing", async () => {
    const state = { isEmpty: false };
    const world = await poolWorld({
      controllers: (connections) => {
        const request: typeof connections.kube.request = async (sent) => {
          const answer = await connections.kube.request(sent);
          const isList =
            /\/azuremachinepoolmachines\?(?!.*watch=true)/.test(sent.path) && sent.method === "GET";
          return isList && state.isEmpty && connections.start > 1
            ? withBody(answer, (text) => JSON.stringify({ ...(JSON.parse(text) as object), items: [] }))
            : answer;
        };
        return poolControllers({ ...connections, kube: { ...connections.kube, request } });
      },
    });
    await createPool(world, "mp", { replicas: 4 });
    await settled(world);
    const before = azureBytes(world);
    state.isEmpty = true;
    world.managers.crash(1, 10_000);
    await world.advance(30 * MINUTE_MS);
    state.isEmpty = false;
    world.managers.crash(1, 10_000);
    await settled(world);
    expect(azureBytes(world)).toBe(before);
    expect(await readyMachines(world, "mp")).toEqual(["mp-0", "mp-1", "mp-2", "mp-3"]);
  });
});
