import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AzureMachinePool, Cluster, type Condition, type Kind, MachinePool } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { azureCluster, cluster, type Overrides } from "@capstan/runtime/testing/builders";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { sortObjects } from "../plan/read/given-objects.ts";
import { managementWith, NO_TRANSPORT } from "../plan/management.fixture.ts";
import { machinePoolObject, NOW, poolObject, poolObjects } from "../plan/planners/pool-objects.fixture.ts";
import { isForecastDisruptive, printForecast } from "../plan/print/print-forecast.ts";
import { run } from "../program.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import { rolloutState, sentenceFor } from "../rollout/rollout-state.ts";
import { testShell } from "../shell.fixture.ts";
import { forecastsOf } from "../plan/planners/pool-planner.ts";
import { changeRollout } from "./rollout-change.ts";

const folder = mkdtempSync(join(tmpdir(), "capstan-standstill-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOW_MS = Date.parse(NOW);
const POOL = { name: "pool", namespace: "default" };
const DELETED = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const PAUSED = { metadata: { annotations: { "cluster.x-k8s.io/paused": "true" } } };
const DRAINED =
  "its machines are drained, then its scale set is deleted; the controllers do nothing else to the pool";

/** The plan of a dump of a pool with outdated machines, with the given differences from the default. */
async function planOf(differences: {
  pool?: Overrides<AzureMachinePool>;
  machinePool?: Overrides<MachinePool>;
  cluster?: Overrides<Cluster>;
}) {
  const [, , ...machines] = poolObjects();
  const objects = [
    poolObject(differences.pool ?? {}),
    machinePoolObject(differences.machinePool ?? {}),
    cluster(differences.cluster ?? {}),
    ...machines,
  ];
  writeFileSync(join(folder, "dump.yaml"), objects.map((object) => stringify(object)).join("---\n"));
  const print = async (form: string) => {
    const shell = testShell({ workingFolder: folder });
    const code = await run(["plan", "-f", "dump.yaml", "-o", form, "--now", NOW], shell);
    return { code, out: shell.written.out };
  };
  const { code, out } = await print("json");
  return { code, ...(JSON.parse(out) as { actions: unknown; blocked: unknown }), print };
}

const manifestsOf = (...objects: readonly object[]) =>
  sortObjects(objects.map((object) => ({ ...object, status: undefined })) as never, "default");
const forecastOf = (client: Client, spec: Overrides<AzureMachinePool["spec"]> = {}) =>
  forecastsOf(testShell(), {
    client,
    transport: NO_TRANSPORT,
    given: manifestsOf(poolObject({ spec })),
    nowMs: NOW_MS,
  });
const ROLLED = { template: { vmSize: "Standard_D4s_v3" } };

describe("a pool that is being deleted", () => {
  test.each([
    ["itself", { pool: DELETED }, `it is being deleted: ${DRAINED}`],
    [
      "with its MachinePool",
      { machinePool: DELETED },
      `MachinePool default/pool is being deleted: ${DRAINED}`,
    ],
    [
      "with its Cluster",
      { cluster: DELETED, pool: DELETED },
      "Cluster default/cluster is being deleted: its scale set is deleted with all machines, without a drain; the controllers do nothing else to the pool",
    ],
  ])("%s: the plan of a dump contains nothing else", async (_, differences, why) => {
    const { code, actions, blocked, print } = await planOf(differences);
    expect({ code, actions, blocked }).toEqual({
      code: 2,
      actions: [],
      blocked: [
        {
          controller: "azuremachinepool",
          object: { kind: "AzureMachinePool", ...POOL },
          reason: "BeingDeleted",
          targets: ["pool"],
          why,
        },
      ],
    });
    expect((await print("text")).out).toContain(`  blocked: BeingDeleted pool\n`);
    expect((await print("markdown")).out).toContain("**Disruptive**");
  });

  test("waits while it is paused, and deletes no machine", async () => {
    const { code, blocked } = await planOf({
      pool: { metadata: { ...PAUSED.metadata, ...DELETED.metadata } },
    });
    expect(code).toBe(0);
    expect(blocked).toMatchObject([{ reason: "BeingDeleted" }, { reason: "Paused" }]);
  });

  /** A management cluster with an object that is being deleted and that a finalizer keeps. */
  async function going(kind: Kind, name: string, pool: Overrides<AzureMachinePool> = {}): Promise<Client> {
    const held = { metadata: { finalizers: ["example.com/held"] } };
    const [, , ...machines] = poolObjects();
    const client = await managementWith(
      cluster(held),
      azureCluster(),
      poolObject(held, pool),
      machinePoolObject(held),
      ...machines,
    );
    await client.delete(kind, { name, namespace: "default" });
    return client;
  }
  const KINDS: readonly [string, Kind, string][] = [
    ["itself", AzureMachinePool, "pool"],
    ["with its MachinePool", MachinePool, "pool"],
    ["with its Cluster", Cluster, "cluster"],
  ];

  test.each(KINDS)("%s: the plan of manifests contains nothing else", async (_, kind, name) => {
    const pools = await forecastOf(await going(kind, name), ROLLED);
    const { actions, blocked } = JSON.parse(printForecast(pools, "json")) as Record<string, unknown>;
    expect(actions).toEqual([]);
    expect(blocked).toMatchObject([{ reason: "BeingDeleted", targets: ["pool"] }]);
    expect(isForecastDisruptive(pools)).toBe(true);
    expect(printForecast(pools, "text")).toContain("  the change has no effect: the pool is being deleted\n");
    expect(printForecast(pools, "markdown")).toContain("**Disruptive**");
  });

  test.each(KINDS)("%s: its rollout has failed and accepts no more commands", async (_, kind, name) => {
    const client = await going(kind, name);
    const parts = await readPool(client, await findPool(client, POOL));
    const state = rolloutState(parts, NOW_MS);
    expect(sentenceFor(state)).toMatch(/^AzureMachinePool default\/pool has failed: .*is being deleted: /);
    for (const [verb, done] of [
      ["pause", "paused"],
      ["resume", "resumed"],
      ["restart", "restarted"],
    ] as const) {
      await expect(changeRollout(client, verb, { parts, nowMs: NOW_MS })).rejects.toThrow(
        new RegExp(`^AzureMachinePool default/pool cannot be ${done}: .*is being deleted: `),
      );
    }
    expect((await client.get(AzureMachinePool, POOL)).metadata.annotations).toBeUndefined();
  });

  test("comes with the command that ends the pause, where a pause holds up the deletion", async () => {
    const client = await going(AzureMachinePool, "pool", PAUSED);
    const parts = await readPool(client, await findPool(client, POOL));
    await expect(changeRollout(client, "resume", { parts, nowMs: NOW_MS })).rejects.toThrow(
      "; it is paused, and its deletion waits for: kubectl annotate azuremachinepool pool -n default cluster.x-k8s.io/paused-",
    );
  });
});

describe("a pool whose Cluster is missing", () => {
  const pool = poolObject({ status: { modelHash: undefined } });
  const plan = async (client: Client, ...objects: readonly object[]) =>
    forecastsOf(testShell(), {
      client,
      transport: NO_TRANSPORT,
      given: manifestsOf(pool, machinePoolObject(), ...objects),
      nowMs: NOW_MS,
    });

  test("is blocked against a cluster, with the name of the Cluster", async () => {
    const pools = await plan(await managementWith());
    expect(pools).toMatchObject([{ isNew: true, typical: { waves: [] } }]);
    expect(pools[0]?.blocked).toEqual([
      {
        controller: "azuremachinepool",
        object: { kind: "AzureMachinePool", ...POOL },
        reason: "NoCluster",
        targets: ["pool"],
        why: "there is no Cluster default/cluster, which MachinePool default/pool names in spec.clusterName; the controllers ignore the pool until it exists: apply it, or give its manifest to capstan plan as well",
      },
    ]);
    expect(printForecast(pools, "text")).toContain("nothing happens until the block is removed\n");
    expect(isForecastDisruptive(pools)).toBe(false);
  });

  test("is planned where the Cluster comes with the manifests or exists", async () => {
    for (const pools of [
      await plan(await managementWith(), cluster()),
      await plan(await managementWith(cluster())),
    ]) {
      expect(pools).toMatchObject([{ blocked: [], typical: { totals: { created: 3 } } }]);
    }
    const elsewhere = cluster({ metadata: { namespace: "other" } });
    const pools = await plan(await managementWith(), elsewhere);
    expect(pools).toMatchObject([{ blocked: [{ reason: "NoCluster" }] }]);
  });
});

describe("a pool with a blocked removal", () => {
  const WHY = "the last list of the scale set does not show the instances of 3 of 3 machines";
  const condition: Condition = {
    type: "RemovalBlocked",
    status: "True",
    reason: "TooManyMissing",
    message: WHY,
    lastTransitionTime: "2026-01-01T11:57:00Z",
  };
  const blockedRemoval = { hash: "x", count: 3, confirmations: 0, lastConfirmedAt: NOW };
  const status = { blockedRemoval, conditions: [condition] };

  test("does nothing else, in the plan of a dump and of manifests", async () => {
    const { code, actions, blocked } = await planOf({ pool: { status } });
    expect({ code, actions, blocked }).toMatchObject({
      code: 0,
      actions: [],
      blocked: [{ reason: "RemovalBlocked", targets: ["pool"], why: WHY }],
    });
    const silent = await planOf({ pool: { status: { blockedRemoval } } });
    expect(JSON.stringify(silent.blocked)).toContain("the instances of 3 machines");
    const [, ...rest] = poolObjects();
    const client = await managementWith(cluster(), azureCluster(), poolObject({ status }), ...rest);
    const pools = await forecastOf(client, ROLLED);
    expect(pools).toMatchObject([{ blocked: [{ reason: "RemovalBlocked" }], typical: { waves: [] } }]);
    expect(printForecast(pools, "text")).toContain("nothing happens until the block is removed\n");
    const parts = await readPool(client, await findPool(client, POOL));
    expect(rolloutState(parts, NOW_MS).isDone).toBe(false);
  });

  test("continues once a user has allowed the removal", async () => {
    const metadata = { annotations: { "capstan.dev/allow-removal": "3" } };
    const { actions, blocked } = await planOf({ pool: { metadata, status } });
    expect(actions).not.toEqual([]);
    expect(blocked).toEqual([]);
  });
});
