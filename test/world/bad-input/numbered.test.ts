/** Bad inputs and hostile situations of an identity, its Secrets, a Cluster and the environment, by their numbers. */
import {
  AzureCluster,
  AzureClusterIdentity,
  Cluster,
  Lease,
  MachinePool,
  Namespace,
  Secret,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL } from "@capstan/azure-sim";
import { Scheduler, VirtualProcess } from "@capstan/env";
import { createLogger } from "@capstan/runtime";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import {
  createCluster,
  createPool,
  find,
  giveAuthority,
  MINUTE_MS,
  NAMESPACE,
  patch,
  plantForeign,
  remove,
  THEIRS,
} from "../kit/fleet-world.ts";
import {
  askedOfAzure,
  azureBytes,
  conditionOf,
  forgetAll,
  preparedWorld,
  readiness,
  settledWorld,
  twisted,
  type Twist,
  withBody,
  worldBehind,
} from "./numbered-world.ts";

const HOUR_MS = 60 * MINUTE_MS;
const READY = "True True";
const IDENTITY = "demo-identity";
const NETWORK = "NetworkInfrastructureReady";
const OTHER = "88888888-8888-8888-8888-888888888888";

const REFERENCE = {
  infrastructureRef: { apiGroup: AzureCluster.group, kind: AzureCluster.kind, name: "demo" },
};
const PLACE = { location: "westeurope", subscriptionID: "00000000-0000-0000-0000-000000000000" };

async function running(world: World): Promise<World> {
  await createCluster(world, "demo");
  world.start();
  await world.advance(5 * MINUTE_MS);
  return world;
}

async function secretIs(world: World, data: Record<string, string> | null): Promise<void> {
  const encoded =
    data &&
    Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
    );
  await patch(world, Secret, IDENTITY, { data: encoded });
}

describe("84 the namespaces that may use an identity", () => {
  const allow = async (allowedNamespaces: object | null): Promise<World> => {
    const world = await preparedWorld();
    await patch(world, AzureClusterIdentity, IDENTITY, { spec: { allowedNamespaces } });
    return running(world);
  };

  test.each<[string, object | null]>([
    ["no namespace without allowedNamespaces", null],
    ["no namespace by a selector that selects nothing", { selector: { matchLabels: { no: "such" } } }],
    ["no namespace by an empty selector", { selector: {} }],
    ["no namespace by an empty list", { list: [] }],
  ])("84 %s", async (_, allowed) => {
    const world = await allow(allowed);
    expect(await conditionOf(world, NETWORK)).toMatch(
      /^False NamespaceNotAllowedByIdentity: spec\.allowedNamespaces of AzureClusterIdentity demo-identity/,
    );
    expect(askedOfAzure(world)).toEqual([]);
  });

  test.each<[string, object]>([
    ["all by {}", {}],
    [
      "those in the list, with any selector",
      { list: [NAMESPACE], selector: { matchLabels: { no: "such" } } },
    ],
  ])("84 %s", async (_, allowed) => {
    expect(await readiness(await allow(allowed))).toBe(READY);
  });

  test("84 an invalid selector is rejected with its path", async () => {
    const world = await preparedWorld();
    const selector = { matchExpressions: [{ key: "a", operator: "Near", values: ["b"] }] };
    await expect(
      patch(world, AzureClusterIdentity, IDENTITY, { spec: { allowedNamespaces: { selector } } }),
    ).rejects.toThrow(/spec\.allowedNamespaces\.selector: Invalid value: .*Near/);
  });

  test("84 a revoked permission counts at once: no request uses the old token", async () => {
    const world = await settledWorld();
    await patch(world, AzureClusterIdentity, IDENTITY, { spec: { allowedNamespaces: { list: ["other"] } } });
    await world.advance(MINUTE_MS);
    const sinceMs = world.scheduler.monotonicMs;
    await patch(world, AzureCluster, "demo", { spec: { additionalTags: { team: "b" } } });
    await world.advance(30 * MINUTE_MS);
    expect(await conditionOf(world, NETWORK)).toMatch(/^False NamespaceNotAllowedByIdentity/);
    expect(askedOfAzure(world, sinceMs)).toEqual([]);
  });
});

describe("85 the Secret of an identity", () => {
  test.each<[string, Record<string, string> | null, RegExp]>([
    [
      "is empty",
      null,
      /^False IdentityNotUsable: .*Secret default\/demo-identity has no value under the key clientSecret/,
    ],
    [
      "has an empty value",
      { clientSecret: "\n" },
      /^False IdentityNotUsable: .*no value under the key clientSecret/,
    ],
    ["is wrong", { clientSecret: "wrong" }, /^False (Invalid_?[Cc]lient|InvalidClient|AADSTS\d+)/],
  ])("85 %s: a condition, and nothing is touched", async (_, data, expected) => {
    const world = await preparedWorld();
    await secretIs(world, { clientSecret: "" });
    await secretIs(world, data);
    await running(world);
    expect(await conditionOf(world, "Ready")).toMatch(expected);
    expect(askedOfAzure(world)).toEqual([]);
    await secretIs(world, { clientSecret: DEFAULT_PRINCIPAL.clientSecret ?? "" });
    await world.settle();
    expect(await readiness(world), "once it is right").toBe(READY);
  });

  test("85 is missing: a condition that names it, and nothing is touched", async () => {
    const world = await preparedWorld();
    await remove(world, Secret, IDENTITY);
    await running(world);
    expect(await conditionOf(world, NETWORK)).toContain("Secret default/demo-identity does not exist");
    expect(askedOfAzure(world)).toEqual([]);
  });

  test("85 ends with a newline: the newline is removed", async () => {
    const world = await preparedWorld();
    await secretIs(world, { clientSecret: `${DEFAULT_PRINCIPAL.clientSecret ?? ""}\n` });
    expect(await readiness(await running(world))).toBe(READY);
  });

  test("85 is of another tenant: a condition, and nothing is touched", async () => {
    const world = await preparedWorld();
    await patch(world, AzureClusterIdentity, IDENTITY, {
      spec: { tenantID: "99999999-9999-9999-9999-999999999999" },
    });
    await running(world);
    expect(await conditionOf(world, "Ready")).toMatch(/^False /);
    expect(azureBytes(world)).toBe("[]");
  });

  test("85 is changed in the middle of an operation: the operation is polled to its end, and no write is repeated", async () => {
    const world = await preparedWorld();
    await createCluster(world, "demo");
    world.start();
    const isBusy = (): boolean => world.azure.control.state().runningOperations.length > 0;
    expect(await world.until(isBusy, 5 * MINUTE_MS)).toBe(true);
    // Another text of the same secret: the identity gets a new token.
    await secretIs(world, { clientSecret: `${DEFAULT_PRINCIPAL.clientSecret ?? ""}\n\n` });
    await world.settle();
    expect(await readiness(world)).toBe(READY);
    const puts = askedOfAzure(world).filter((call) => call.startsWith("PUT"));
    expect(puts).toEqual([...new Set(puts)]);
  });
});

describe("86 a kubeconfig", () => {
  const kubeconfig = (server: string, parts: { cluster?: object; user?: object }): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster: { server, ...parts.cluster } }],
      users: [{ name: "u", user: parts.user ?? { token: "t" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    });
  const OURS = "https://clusters.invalid/demo";

  test.each<[string, string, RegExp]>([
    [
      "with an exec plugin",
      kubeconfig(OURS, { user: { exec: { command: "sh" } } }),
      /exec runs the program "sh"/,
    ],
    [
      "without TLS checks",
      kubeconfig(OURS, { cluster: { "insecure-skip-tls-verify": true } }),
      /insecure-skip-tls-verify/,
    ],
    ["of another host", kubeconfig("https://evil.example:6443", {}), /evil\.example/],
    ["over plain HTTP", kubeconfig("http://clusters.invalid/demo", {}), /https/],
  ])("86 %s is refused, and no server is called", async (_, text, expected) => {
    const asked: string[] = [];
    const called = ({ api, server }: { api: string; server: string }): undefined =>
      void (api === "kube" && server !== "management" && asked.push(server));
    const world = await preparedWorld({
      invariants: [{ name: "calls", says: "nothing", watch: () => ({ called }) }],
    });
    const data = { value: Buffer.from(text).toString("base64") };
    const metadata = { name: "demo-kubeconfig", namespace: NAMESPACE };
    await world.run(world.user.create(Secret, { metadata, type: "Opaque", data }));
    await running(world);
    const state = await conditionOf(world, "ControlPlaneReady", Cluster);
    expect(state).toMatch(/^False KubeconfigRefused/);
    expect(state).toMatch(expected);
    expect(asked).toEqual([]);
  });
});

describe("87 names", () => {
  test.each([
    ["a".repeat(64), /metadata\.name/],
    ["a".repeat(45), /metadata\.name.*1 to 44/],
    ["-demo", /metadata\.name/],
    ["demo-", /metadata\.name/],
    ["de.mo", /metadata\.name/],
    ["Demo", /metadata\.name/],
    ["d_mo", /metadata\.name/],
    ["", /name/],
  ])("87 %j is rejected with its path", async (name, expected) => {
    const world = await preparedWorld();
    await expect(createCluster(world, name)).rejects.toThrow(expected);
    // A Cluster may have a name that its infrastructure may not have; then nothing is created.
    world.start();
    await world.advance(5 * MINUTE_MS);
    expect(azureBytes(world)).toBe("[]");
  });

  test.each(["login", "microsoft", "1demo", "x--y"])(
    "87 %j, which Azure reserves or refuses at the start, is changed in a DNS name",
    async (name) => {
      const world = await preparedWorld();
      await createCluster(world, name);
      world.start();
      await world.settle();
      expect(await readiness(world, name)).toBe(READY);
    },
  );
});

test("88 in a namespace that is terminating, deletions still complete", async () => {
  const world = await preparedWorld();
  const key = { name: "demo", namespace: "team" };
  await world.run(world.user.create(Namespace, { metadata: { name: "team" } }));
  const controlPlaneRef = undefined;
  await world.run(
    world.user.create(Cluster, cluster({ metadata: key, spec: { ...REFERENCE, controlPlaneRef } })),
  );
  const identityRef = { name: IDENTITY, namespace: NAMESPACE };
  await world.run(
    world.user.create(AzureCluster, azureCluster({ metadata: key, spec: { ...PLACE, identityRef } })),
  );
  world.start();
  await world.settle();
  expect(world.azure.control.state().resources.length).toBeGreaterThan(5);
  await world.run(world.user.delete(Namespace, { name: "team" }));
  const namespace = await world.run(world.user.get(Namespace, { name: "team" }));
  expect(namespace.metadata.deletionTimestamp, "nothing can be created in it any more").toBeDefined();
  // The namespace controller of a real cluster deletes everything in it in any order.
  await world.run(world.user.delete(AzureCluster, key));
  await world.run(world.user.delete(Cluster, key));
  await world.settle();
  expect(await world.run(world.user.find(Cluster, key))).toBeUndefined();
  expect(await world.run(world.user.find(AzureCluster, key))).toBeUndefined();
  expect(azureBytes(world)).toBe("[]");
});

test("89 a Cluster that is deleted while everything is paused waits, and is deleted in order after the resume", async () => {
  const world = await settledWorld();
  await giveAuthority(world, "demo");
  await createPool(world, "demo");
  await world.settle();
  await patch(world, Cluster, "demo", { spec: { paused: true } });
  await world.advance(MINUTE_MS);
  const before = azureBytes(world);
  await remove(world, Cluster, "demo");
  await world.advance(30 * MINUTE_MS);
  expect(await conditionOf(world, "Paused", Cluster)).toMatch(/^True Paused/);
  expect(azureBytes(world)).toBe(before);
  expect(await find(world, MachinePool, "demo-workers")).toBeDefined();
  const sinceMs = world.scheduler.monotonicMs;
  await patch(world, Cluster, "demo", { spec: { paused: false } });
  await world.settle();
  expect(await find(world, Cluster, "demo")).toBeUndefined();
  expect(azureBytes(world)).toBe("[]");
  const deletions = world.trace.events.flatMap(({ atMs, happening }) =>
    atMs >= sinceMs && happening.kind === "write" && happening.verb === "delete" ? [happening.resource] : [],
  );
  // The references of a pool are deleted in any order.
  const order = [...new Set(deletions)].filter((resource) => resource !== "kubeadmconfigs");
  expect(order).toEqual(["machinepools", "azuremachinepools", "azuremachinepoolmachines", "azureclusters"]);
  expect(deletions.indexOf("kubeadmconfigs")).toBeLessThan(deletions.indexOf("azureclusters"));
});

describe("90 an Azure that refuses", () => {
  const SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000";
  // In two hours: one by the slow probe and one by the resync in each ten minutes, and one at the edge.
  const MOST_TRIES = 25;
  const writesIn = (world: World, sinceMs: number): number =>
    askedOfAzure(world, sinceMs).filter((call) => !call.startsWith("GET")).length;

  test("90 a locked resource group: a condition with Azure's code, and hardly any tries", async () => {
    const world = await settledWorld();
    const scope = `${SUBSCRIPTION}/resourceGroups/demo`;
    world.azure.control.forbid({ name: "lock", scope, kind: "CanNotDelete" });
    await remove(world, Cluster, "demo");
    await world.advance(10 * MINUTE_MS);
    expect(await conditionOf(world, "Ready")).toMatch(/^False ScopeLocked: /);
    const sinceMs = world.scheduler.monotonicMs;
    await world.advance(2 * HOUR_MS);
    expect(writesIn(world, sinceMs)).toBeLessThanOrEqual(MOST_TRIES);
    world.azure.control.allow("lock");
    await world.settle();
    expect(azureBytes(world)).toBe("[]");
  });

  test("90 a policy: a condition with Azure's code, and hardly any tries", async () => {
    const world = await preparedWorld();
    const type = "Microsoft.Network/virtualNetworks";
    world.azure.control.forbid({ name: "no", scope: SUBSCRIPTION, kind: "DenyByPolicy", type });
    await running(world);
    expect(await conditionOf(world, "Ready")).toMatch(
      /^False RequestDisallowedByPolicy: .*virtualNetworks\/demo-vnet/,
    );
    const sinceMs = world.scheduler.monotonicMs;
    await world.advance(2 * HOUR_MS);
    expect(writesIn(world, sinceMs)).toBeLessThanOrEqual(MOST_TRIES);
  });

  test("90 an unknown subscription: a condition with Azure's code, and hardly any tries", async () => {
    const world = await preparedWorld();
    await createCluster(world, "demo", { subscriptionID: "12345678-1234-1234-1234-123456789012" });
    world.start();
    await world.advance(15 * MINUTE_MS);
    expect(await conditionOf(world, "Ready")).toMatch(
      /^False (SubscriptionNotFound|InvalidSubscriptionId|AuthorizationFailed)/,
    );
    const sinceMs = world.scheduler.monotonicMs;
    await world.advance(2 * HOUR_MS);
    expect(askedOfAzure(world, sinceMs).length).toBeLessThanOrEqual(40);
    expect(writesIn(world, sinceMs)).toBe(0);
  });
});

describe("91 an API server", () => {
  test("91 that is down for an hour only delays the work", async () => {
    const world = await settledWorld();
    const before = azureBytes(world);
    world.addFault({ fault: "kube-reset", when: { trigger: { probability: 1 } } });
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
    await world.heal();
    await patch(world, AzureCluster, "demo", { spec: { additionalTags: { team: "b" } } });
    await world.settle({ quietMs: 10 * MINUTE_MS });
    expect(await readiness(world)).toBe(READY);
    expect(azureBytes(world)).toContain('"team":"b"');
  });

  test("91 that was restored from a backup without a cluster: nothing of that cluster is deleted", async () => {
    const world = await settledWorld();
    const before = azureBytes(world);
    await forgetAll(world);
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
  });

  test("91 that was restored from a backup with a cluster that is gone: it is built again as it was", async () => {
    const world = await settledWorld();
    const { spec, status } = await world.run(
      world.user.get(AzureCluster, { name: "demo", namespace: NAMESPACE }),
    );
    const before = world.azure.control.state().resources.map(({ id, state }) => `${id} ${state}`);
    await remove(world, Cluster, "demo");
    await world.settle();
    await createCluster(world, "demo", spec as AzureCluster["spec"]);
    await world.run(
      world.user.patch(
        AzureCluster,
        { name: "demo", namespace: NAMESPACE },
        { type: "merge", subresource: "status", body: { status } },
      ),
    );
    await world.settle({ quietMs: 15 * MINUTE_MS });
    expect(await readiness(world)).toBe(READY);
    const after = world.azure.control.state().resources.map(({ id, state }) => `${id} ${state}`);
    expect(after.toSorted()).toEqual(before.toSorted());
  });
});

describe("92 an empty list although objects exist", () => {
  test("92 of Azure makes no controller create or delete anything", async () => {
    const twist: { now?: Twist } = {};
    const world = await settledWorld({ controllers: twisted(twist) });
    const before = azureBytes(world);
    let emptied = 0;
    twist.now = async (request, answer) => {
      const body = await answer.text();
      if (request.method !== "GET" || !body.includes('"value":[')) return answer;
      emptied++;
      return withBody(answer, () => '{"value":[]}');
    };
    const sinceMs = world.scheduler.monotonicMs;
    await world.advance(2 * HOUR_MS);
    expect(emptied).toBeGreaterThan(5);
    expect(azureBytes(world)).toBe(before);
    expect(askedOfAzure(world, sinceMs).filter((call) => !call.startsWith("GET"))).toEqual([]);
    expect(await readiness(world)).toBe(READY);
  });

  test("92 of Azure does not make a deletion leave resources behind", async () => {
    const twist: { now?: Twist } = {};
    const world = await preparedWorld({ controllers: twisted(twist) });
    await plantForeign(world);
    const foreign = azureBytes(world);
    await createCluster(world, "demo", { resourceGroup: THEIRS });
    world.start();
    await world.settle();
    twist.now = async ({ path }, answer) => (isList(path) ? withBody(answer, () => '{"value":[]}') : answer);
    await remove(world, Cluster, "demo");
    await world.settle();
    expect(await find(world, Cluster, "demo")).toBeUndefined();
    expect(azureBytes(world)).toBe(foreign);
  });

  test("92 of Kubernetes makes no controller create or delete anything", async () => {
    let isEmpty = false;
    const { world, runner } = await worldBehind(async ({ path }, answer) => {
      const text = isEmpty && !path.includes("watch=true") ? await answer.text() : "";
      return text.includes('"items":[') ? withBody(answer, withoutItems) : answer;
    });
    expect(await readiness(world)).toBe(READY);
    const before = azureBytes(world);
    isEmpty = true;
    await world.run(runner.cache.refresh());
    expect(runner.cache.list(Cluster), "it is believed").toEqual([]);
    const changes = madeOrRemoved(world);
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
    expect(madeOrRemoved(world)).toBe(changes);
    isEmpty = false;
    await world.run(runner.cache.refresh());
    await world.settle();
    expect(await readiness(world)).toBe(READY);
  });
});

/** How many objects the managers have created and deleted so far, without events. */
function madeOrRemoved(world: World): number {
  return world.trace.events.filter(
    ({ actor, happening }) =>
      actor.startsWith("manager") &&
      happening.kind === "write" &&
      (happening.verb === "create" || happening.verb === "delete") &&
      happening.resource !== "events",
  ).length;
}

function withoutItems(list: string): string {
  return JSON.stringify({ ...(JSON.parse(list) as object), items: [] });
}

const isList = (path: string): boolean => /\/resources(\?|$)/.test(path);

test.each([
  ["in a group of ours", "demo", (path: string) => !path.includes("/oauth2/")],
  ["in a group of others, in lists", THEIRS, isList],
])(
  "93 answers about another subscription are not acted on: nothing there is written or deleted, %s",
  async (_, resourceGroup, isMixedUp) => {
    const twist: { now?: Twist } = {};
    const world = await preparedWorld({ controllers: twisted(twist) });
    await plantForeign(world);
    const foreign = azureBytes(world);
    await createCluster(world, "demo", { resourceGroup });
    world.start();
    await world.settle();
    const before = azureBytes(world);
    twist.now = async ({ path }, answer) =>
      isMixedUp(path) ? withBody(answer, (text) => text.replaceAll(PLACE.subscriptionID, OTHER)) : answer;
    await world.advance(HOUR_MS);
    expect(azureBytes(world)).toBe(before);
    await remove(world, Cluster, "demo");
    await world.advance(HOUR_MS);
    expect(askedOfAzure(world).filter((call) => call.includes(OTHER))).toEqual([]);
    expect(azureBytes(world), "nothing is taken for gone").toBe(before);
    delete twist.now;
    await world.settle({ quietMs: 10 * MINUTE_MS, limitMs: 4 * HOUR_MS });
    expect(azureBytes(world), "once answers are right again").toBe(foreign);
  },
);

test("94 a clock that jumps a year ahead causes no burst of requests", async () => {
  const world = await settledWorld();
  await giveAuthority(world, "demo");
  await createPool(world, "demo");
  await world.settle();
  const [manager] = world.managers.running();
  manager?.process.jumpWallClock(365 * 24 * HOUR_MS);
  const before = world.testedWrites;
  await world.advance(2 * HOUR_MS);
  expect(world.testedWrites - before).toBeLessThan(15);
  const later = world.testedWrites;
  await world.advance(30 * MINUTE_MS);
  // A token request counts as a write, and one may happen in this half hour.
  expect(world.testedWrites - later).toBeLessThanOrEqual(1);
  expect(await readiness(world)).toBe(READY);
});

// Disks, file handles and the heap belong to the machine and do not exist in virtual time. `test/crash/full-disk.test.ts`
// fills the disk of a server; a manager writes only its log, and here that cannot be written. Exhausted file handles
// appear as connections that cannot be opened, which every storm of `test/world/fleet` has. Readiness that ends when the
// heap is nearly full is not built yet.
test("95 a log on a full disk stops no controller", async () => {
  let refused = 0;
  const log = createLogger(new VirtualProcess(new Scheduler({ seed: "log" }), "log"), "debug", {
    write: () => {
      refused++;
      throw new Error("ENOSPC: no space left on device, write");
    },
  });
  const world = await settledWorld({ log });
  expect(refused).toBeGreaterThan(0);
  expect(await readiness(world)).toBe(READY);
});

test("96 a manager that is told to stop in the middle ends within 10 s, and releases the Lease last", async () => {
  const world = await preparedWorld({ managers: 2 });
  await createCluster(world, "demo");
  world.start();
  const isBusy = (): boolean => world.azure.control.state().runningOperations.length > 0;
  expect(await world.until(isBusy, 5 * MINUTE_MS)).toBe(true);
  const leader = world.managers.running().find(({ isWorking }) => isWorking);
  const name = leader?.process.name ?? "";
  const sinceMs = world.scheduler.monotonicMs;
  await world.run(leader?.runner.stop() ?? Promise.reject(new Error("no manager leads")));
  expect(world.scheduler.monotonicMs - sinceMs).toBeLessThanOrEqual(10_000);
  const isOwn = ({ actor }: { actor: string }): boolean => actor === name || actor.startsWith(`${name}/`);
  const own = world.trace.events.filter((event) => isOwn(event) && event.atMs >= sinceMs);
  const last = own.findLast(({ happening }) => happening.kind === "write")?.happening;
  expect(last?.kind === "write" && last.resource).toBe(Lease.plural);
  const stoppedMs = world.scheduler.monotonicMs;
  await world.settle();
  expect(await readiness(world), "the other one finishes").toBe(READY);
  expect(world.trace.events.filter((event) => isOwn(event) && event.atMs > stoppedMs)).toEqual([]);
});

test("97 a kind whose conversion is down delays its objects and no others", async () => {
  const world = await preparedWorld();
  await createCluster(world, "demo");
  await createPool(world, "demo");
  await giveAuthority(world, "demo");
  world.start();
  await world.settle();
  const trigger = { resource: MachinePool.plural, probability: 1 };
  world.addFault({ fault: "kube-unavailable", when: { trigger } });
  await patch(world, MachinePool, "demo-workers", { spec: { template: { spec: { minReadySeconds: 5 } } } });
  await createCluster(world, "second");
  await world.advance(30 * MINUTE_MS);
  expect(await readiness(world, "second")).toBe(READY);
  await world.heal();
  await world.settle({ quietMs: 10 * MINUTE_MS });
  expect(await conditionOf(world, "BootstrapReady", MachinePool, "demo-workers")).toMatch(/^True /);
});

// A tenth of the objects of the reference: ten times as many take ten times as long and show nothing more.
test("98 a thousand objects of one tenant do not hold up another by more than a tenth", async () => {
  const readyAfter = async (crowd: number): Promise<number> => {
    const world = await preparedWorld();
    await world.run(world.user.create(Namespace, { metadata: { name: "crowd" } }));
    for (let number = 0; number < crowd; number++) {
      const metadata = { name: `crowd-${number}`, namespace: "crowd" };
      await world.run(world.user.create(AzureCluster, azureCluster({ metadata })));
    }
    world.start();
    await createCluster(world, "demo");
    const sinceMs = world.scheduler.monotonicMs;
    const isReady = (): boolean =>
      world.trace.events.some(
        ({ happening }) =>
          happening.kind === "condition" &&
          happening.object === "Cluster demo" &&
          happening.type === "Ready" &&
          happening.status === "True",
      );
    expect(await world.until(isReady, HOUR_MS)).toBe(true);
    return world.scheduler.monotonicMs - sinceMs;
  };
  const [alone, crowded] = [await readyAfter(0), await readyAfter(1000)];
  expect(crowded).toBeLessThanOrEqual(alone * 1.1);
});
