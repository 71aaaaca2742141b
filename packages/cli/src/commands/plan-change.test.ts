import { AzureMachinePool, Cluster, type Kind, type KubernetesObject, MachinePool } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import {
  azureCluster,
  cluster,
  kubeadmControlPlane,
  type Overrides,
  pod,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { forecastChange, type PoolForecast } from "../plan/planners/forecast-plan.ts";
import { sortObjects } from "../plan/read/given-objects.ts";
import { expectGolden } from "../plan/print/golden.fixture.ts";
import { managementWith, NO_TRANSPORT, store } from "../plan/management.fixture.ts";
import { obstaclesOf } from "../plan/planners/obstacles.ts";
import { machineObject, machinePoolObject, NOW, poolObject } from "../plan/planners/pool-objects.fixture.ts";
import { isForecastDisruptive, printForecast } from "../plan/print/print-forecast.ts";
import { proposedPools } from "../plan/planners/proposed-pools.ts";
import { desiredModel } from "../plan/planners/desired-model.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import { testShell } from "../shell.fixture.ts";
import { forecastsOf } from "../plan/planners/pool-planner.ts";

const NOW_MS = Date.parse(NOW);
const POOL = { name: "pool", namespace: "default" };
const AROUND = [
  cluster(),
  azureCluster({ spec: { subscriptionID: "00000000-0000-0000-0000-000000000001" } }),
];

/** A management cluster with a settled pool of three machines, of which kubectl applied the given part. */
async function settled(applied: Overrides<AzureMachinePool> = {}): Promise<Client> {
  const lastApplied = JSON.stringify(manifest(poolObject(applied)));
  const stored = poolObject(applied, {
    metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": lastApplied } },
  });
  const draft = await managementWith(...AROUND, stored, machinePoolObject());
  const { desired } = desiredModel(await readPool(draft, await findPool(draft, POOL)));
  return managementWith(
    ...AROUND,
    poolObject(stored, { status: { modelHash: desired.hash } }),
    machinePoolObject(),
    ...[0, 1, 2].map((id) => machineObject(id, desired.hash)),
  );
}

/** A manifest as a user writes it, without the fields that a server adds. */
function manifest<T extends KubernetesObject>(object: T): T {
  const { uid: _, ...metadata } = object.metadata;
  return { ...object, metadata, status: undefined };
}
const poolManifest = (spec: Overrides<AzureMachinePool["spec"]> = {}): AzureMachinePool =>
  manifest(poolObject({ spec }));
const machinesManifest = (spec: Overrides<MachinePool["spec"]> = {}): MachinePool =>
  manifest(machinePoolObject({ spec }));

const given = (...manifests: readonly KubernetesObject[]) => sortObjects(manifests as never, "default");
const forecasts = (client: Client, ...manifests: readonly KubernetesObject[]) =>
  forecastsOf(testShell(), { client, transport: NO_TRANSPORT, given: given(...manifests), nowMs: NOW_MS });
const totalsOf = ([pool]: readonly PoolForecast[]) => pool?.typical.totals;
interface Answer {
  readonly actions: readonly { readonly action: string }[];
  readonly blocked: readonly { readonly reason: string }[];
}
const ROLLED = { vmSize: "Standard_D4s_v3" };

describe("capstan plan of manifests", () => {
  test("plans nothing for manifests that change nothing", async () => {
    const pools = await forecasts(await settled(), poolManifest(), machinesManifest());
    expect(pools).toMatchObject([
      { isNew: false, changes: [], typical: { totals: { waves: 0 }, isReached: true }, blocked: [] },
    ]);
    expect(isForecastDisruptive(pools)).toBe(false);
    expect(printForecast(pools, "text")).toContain("nothing to do");
  });

  test("replaces the machines of all pools in a network that is renamed", async () => {
    const { networkSpec, ...rest } = azureCluster().spec;
    const moved = azureCluster({
      spec: {
        ...rest,
        subscriptionID: "00000000-0000-0000-0000-000000000001",
        networkSpec: { ...networkSpec, vnet: { name: "other" } },
      },
    });
    const pools = await forecasts(await settled(), manifest(moved));
    expect(totalsOf(pools)).toMatchObject({ created: 3, deleted: 3 });
    expect(pools[0]?.changes.map(({ path }) => path)).toContain("AzureCluster spec.networkSpec.vnet.name");
    expect(isForecastDisruptive(pools)).toBe(true);
  });

  test("does not forecast machines that are newer than their control plane, unless it is upgraded, too", async () => {
    const client = await settled();
    const server = kubeadmControlPlane({ metadata: { name: "control" }, spec: { version: "v1.31.4" } });
    await store(client, server);
    const { apiVersion, kind } = server;
    const controlPlaneRef = { apiGroup: apiVersion.split("/")[0], kind, name: "control" };
    const { name, namespace } = cluster().metadata;
    await client.patch(Cluster, { name, namespace }, { type: "merge", body: { spec: { controlPlaneRef } } });
    const newer = machinesManifest({ template: { spec: { version: "v1.33.0" } } });
    const [alone] = await forecasts(client, newer);
    expect(alone?.blocked).toMatchObject([
      {
        reason: "KubernetesVersionSkew",
        why: expect.stringContaining("v1.33.0 are newer than the control plane, which has v1.31.4") as string,
      },
    ]);
    expect(totalsOf(alone ? [alone] : [])).toMatchObject({ created: 0, deleted: 0 });
    const upgraded = manifest({ ...server, spec: { ...server.spec, version: "v1.33.0" } });
    expect(totalsOf(await forecasts(client, newer, upgraded))).toMatchObject({ created: 3, deleted: 3 });
  });

  test("says what a new size does, in every form", async () => {
    const pools = await forecasts(await settled(), poolManifest({ template: ROLLED }));
    expect(isForecastDisruptive(pools)).toBe(true);
    for (const form of ["text", "markdown", "json"] as const) {
      expectGolden(`change-${form}`, printForecast(pools, form));
    }
  });

  test("says that an update in place loses local data", async () => {
    const strategy = {
      rollingUpdate: { maxSurge: 0, maxUnavailable: 1, instanceUpdate: "InPlace" as const },
    };
    const pools = await forecasts(await settled(), poolManifest({ template: ROLLED, strategy }));
    expect(totalsOf(pools)).toMatchObject({ updatedInPlace: 3, created: 0, deleted: 0, waves: 3 });
    expect(printForecast(pools, "text")).toContain("3 updated in place (data on their local disks is lost)");
  });

  test.each<[string, Kind, typeof POOL, object]>([
    ["pool", AzureMachinePool, POOL, { metadata: { annotations: { "cluster.x-k8s.io/paused": "true" } } }],
    ["cluster", Cluster, { ...POOL, name: "cluster" }, { spec: { paused: true } }],
  ])("plans past the pause of a %s: the actions after it is resumed count", async (_, kind, name, body) => {
    const client = await settled();
    await client.patch(kind, name, { type: "merge", body });
    const nothing = await forecasts(client, poolManifest());
    expect(isForecastDisruptive(nothing)).toBe(false);
    expect(printForecast(nothing, "text")).toMatch(/nothing to do\n {2}blocked: Paused pool\n/);
    const pools = await forecasts(client, poolManifest({ template: ROLLED }));
    expect(pools[0]?.blocked).toMatchObject([{ reason: "Paused", targets: ["pool"] }]);
    expect(totalsOf(pools)).toMatchObject({ created: 3, deleted: 3, waves: 3 });
    expect(isForecastDisruptive(pools)).toBe(true);
    const text = printForecast(pools, "text");
    expect(text).toContain("  nothing happens while it is paused; once it is resumed:\n  3 waves, about ");
    expect(text).toContain("  blocked: Paused pool\n");
    const markdown = printForecast(pools, "markdown");
    expect(markdown).toContain(
      "**Disruptive**: machines are taken away from their pods, once it is resumed.",
    );
    expect(markdown).toContain("| Paused | pool |");
    const { actions, blocked } = JSON.parse(printForecast(pools, "json")) as Answer;
    expect(actions.map(({ action }) => action)).toContain("DeleteMachine");
    expect(blocked).toMatchObject([{ reason: "Paused" }]);
  });

  test("sees the changes of a MachinePool alone: its size and its version", async () => {
    const client = await settled();
    expect(totalsOf(await forecasts(client, machinesManifest({ replicas: 5 })))).toMatchObject({
      created: 2,
      deleted: 0,
    });
    const version = { template: { spec: { version: "v1.32.0" } } };
    const upgraded = await forecasts(client, machinesManifest(version));
    expect(totalsOf(upgraded)).toMatchObject({ created: 3, deleted: 3 });
    expect(upgraded[0]?.changes).toEqual([
      { path: "MachinePool spec.template.spec.version", before: "v1.31.2", after: "v1.32.0" },
    ]);
  });

  test("keeps a value with backticks inside its code in Markdown", async () => {
    const additionalTags = { note: "a `b` **c**" };
    const pools = await forecasts(await settled(), poolManifest({ additionalTags }));
    expect(printForecast(pools, "markdown")).toContain(
      '- ``AzureMachinePool spec.additionalTags: unset to {"note":"a `b` **c**"}``\n',
    );
  });

  test("creates a new pool and disrupts nothing", async () => {
    const client = await managementWith(...AROUND);
    const pools = await forecasts(client, poolManifest(), machinesManifest());
    expect(pools).toMatchObject([{ isNew: true, typical: { totals: { created: 3, waves: 1 } } }]);
    expect(isForecastDisruptive(pools)).toBe(false);
  });

  test("removes fields that were applied before and are missing now, as kubectl does", async () => {
    const client = await settled({ spec: { template: { terminateNotificationTimeout: 7 } } });
    const pools = await forecasts(client, poolManifest());
    expect(pools[0]?.changes).toEqual([
      { path: "AzureMachinePool spec.template.terminateNotificationTimeout", before: 7, after: undefined },
    ]);
    expect(totalsOf(pools)).toMatchObject({ deleted: 3 });
  });

  test("keeps fields that other clients have set", async () => {
    const client = await settled();
    await client.patch(AzureMachinePool, POOL, {
      type: "merge",
      body: { spec: { nodeDrainTimeout: "10m" } },
    });
    expect((await forecasts(client, poolManifest()))[0]?.changes).toEqual([]);
  });

  test.each<[string, KubernetesObject, string]>([
    [
      "cannot be changed",
      poolManifest({ location: "eastus" }),
      "AzureMachinePool default/pool cannot be applied: ",
    ],
    [
      "does not fit the schema",
      poolManifest({ strategy: { rollingUpdate: { maxSurge: "many" } } }),
      "spec.strategy.rollingUpdate.maxSurge",
    ],
    [
      "exceeds the limit of a scale set",
      machinesManifest({ replicas: 5000 }),
      "MachinePool default/pool cannot be planned: spec.replicas: Invalid value: 5000: must be from 0 to 1000, the most that a scale set holds",
    ],
    [
      "refers to no object",
      machinesManifest({ template: { spec: { infrastructureRef: { name: "" } } } }),
      'spec.template.spec.infrastructureRef.name: Invalid value: ""',
    ],
    [
      "refers to a missing object",
      machinesManifest({ template: { spec: { infrastructureRef: { name: "missing" } } } }),
      "MachinePool default/pool refers to AzureMachinePool missing, which is neither given nor",
    ],
  ])("refuses a manifest that %s, with the field", async (_, object, message) => {
    await expect(forecasts(await settled(), object)).rejects.toThrow(message);
  });

  test("needs the MachinePool of a new pool, from the manifests or from the cluster", async () => {
    await expect(forecasts(await managementWith(...AROUND), poolManifest())).rejects.toThrow(
      "no MachinePool refers to AzureMachinePool default/pool; the controllers ignore it until one does: apply it, or give its manifest to capstan plan as well",
    );
  });

  test("uses the MachinePool that owns a pool, even if another one refers to it", async () => {
    const ownerReferences = [
      { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachinePool", name: "pool", uid: "uid" },
    ];
    const client = await settled({ metadata: { ownerReferences } });
    const rival = manifest(machinePoolObject({ metadata: { name: "a-rival" }, spec: { replicas: 9 } }));
    await expect(forecasts(client, rival)).rejects.toThrow(
      "MachinePool default/a-rival refers to AzureMachinePool default/pool, which belongs to MachinePool pool; each needs an AzureMachinePool of its own",
    );
    const [pool] = await forecasts(client, rival, poolManifest());
    expect(pool?.typical.totals.waves).toBe(0);
    expect(pool?.notes).toContain(
      "MachinePool default/a-rival refers to AzureMachinePool default/pool, too, and is ignored: it belongs to pool",
    );
  });

  test("stores nothing", async () => {
    const client = await settled();
    const before = await client.get(AzureMachinePool, POOL);
    await forecasts(client, poolManifest({ template: ROLLED }), machinesManifest({ replicas: 9 }));
    expect(await client.get(AzureMachinePool, POOL)).toEqual(before);
    expect((await client.get(MachinePool, POOL)).spec.replicas).toBe(3);
  });

  test("reports that it could not query the workload cluster", async () => {
    const [pool] = await forecasts(await settled(), poolManifest());
    expect(pool?.notes).toEqual([
      expect.stringContaining("the workload cluster was not queried for disruption budgets: "),
    ]);
  });

  test("reports what would block a drain, and only for machines that are drained", async () => {
    const client = await settled();
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "web", namespace: "shop" },
      spec: { selector: { matchLabels: { app: "web" } } },
    };
    const allowing = (disruptionsAllowed: number) => ({
      ...budget,
      status: { disruptionsAllowed, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
    const web = pod({
      metadata: { name: "web-1", namespace: "shop", labels: { app: "web" } },
      spec: { nodeName: "pool000001" },
    });
    const elsewhere = pod({
      metadata: { namespace: "other", labels: { app: "web" } },
      spec: { nodeName: "pool000001" },
    });
    const machines = [0, 1, 2].map((id) => machineObject(id, "v1-a"));
    const machinePool = machinePoolObject();
    const obstacles = obstaclesOf(
      { pool: poolObject(), machinePool, machines },
      [allowing(0)],
      [web, elsewhere],
    );
    expect(obstacles).toMatchObject([
      {
        reason: "DisruptionBudget",
        targets: ["pool-1"],
        why: "PodDisruptionBudget shop/web allows no eviction now; it protects shop/web-1; a drain waits until it allows one",
      },
    ]);
    expect(obstaclesOf({ pool: poolObject(), machinePool, machines }, [allowing(1)], [web])).toEqual([]);
    const limited = poolObject({ spec: { nodeDrainTimeout: "10m" } });
    const patient = machinePoolObject({
      spec: { template: { spec: { deletion: { nodeDrainTimeoutSeconds: 300 } } } },
    });
    const waiting = obstaclesOf({ pool: poolObject(), machinePool: patient, machines }, [allowing(0)], [web]);
    expect(waiting[0]?.why).toContain("waits for up to 5m0s");
    expect(obstaclesOf({ pool: limited, machinePool, machines }, [allowing(0)], [web])[0]?.why).toContain(
      "waits for up to 10m",
    );
    expect(
      obstaclesOf({ pool: poolObject(), machinePool, machines: machines.slice(2) }, [allowing(0)], [web]),
    ).toEqual([]);
    const blockedBy = async (spec: Overrides<AzureMachinePool["spec"]>) => {
      const [change] = await proposedPools(client, given(poolManifest(spec)));
      return change && forecastChange(change, { obstacles }, NOW_MS).blocked.map(({ reason }) => reason);
    };
    const leftOutOf = async (spec: Overrides<AzureMachinePool["spec"]>) => {
      const [change] = await proposedPools(client, given(poolManifest(spec)));
      return change ? printForecast([forecastChange(change, { obstacles }, NOW_MS)], "text") : "";
    };
    expect(await leftOutOf({ template: ROLLED })).toContain(
      "\n  not in these times: the drains of 1 machine that wait until their budgets allow evictions\n",
    );
    expect(await leftOutOf({ template: ROLLED, nodeDrainTimeout: "10m" })).toContain(
      "\n  not in these times: the drains of 1 machine that wait up to 10m each\n",
    );
    expect(await leftOutOf({})).not.toContain("not in these times");
    expect(await blockedBy({ template: ROLLED })).toEqual(["DisruptionBudget"]);
    expect(await blockedBy({})).toEqual([]);
  });
});
