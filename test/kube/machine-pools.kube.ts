import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  getCondition,
  MachinePool,
  Node,
  Pod,
} from "@capstan/api";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { pod } from "@capstan/runtime/testing/builders";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { killAll } from "../journeys/capstan.ts";
import { runsAll } from "../sample.ts";
import { FLEET, fleetOn } from "./fleet.ts";
import { startKubelets } from "./kubelets.ts";
import { eventually, type Management, type RunningManager, startManagement } from "./management.ts";

expect.extend(conditionMatchers);

const POOLS = "test/kube/machine-pools.yaml";
const PLAIN = { name: "plain", namespace: FLEET };
/** What a pool needs around it. */
const AROUND: ReadonlySet<string> = new Set(["Namespace", "Secret", "AzureClusterIdentity"]);

/** In a soak only: the gate has a smoke of the journey. */
const longTest = test.runIf(runsAll);

let management: Management;
let kubelets: ReturnType<typeof startKubelets>;
const managers: RunningManager[] = [];

beforeAll(async () => {
  management = await startManagement();
  const { plane, capstan, client } = management;
  const { code } = await capstan("init", "--kubeconfig", plane.kubeconfig);
  expect(code).toBe(0);
  for (let count = 0; count < 2; count++) managers.push(await readyManager());
  const cluster = fleetOn(plane).filter(
    ({ kind, metadata }) =>
      AROUND.has(kind) || (/^(Azure)?Cluster$/.test(kind) && metadata.name === "reachable"),
  );
  const file = join(management.folder, "cluster.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: cluster }));
  // The managers tell kube-apiserver whom to trust at their webhooks a moment after they are ready.
  await eventually(async () => void (await management.kubectl("apply", "-f", file)));
  kubelets = startKubelets(client, management.azure);
});
afterAll(async () => {
  await kubelets.stop();
  killAll();
  await management.stop();
});

async function readyManager(): Promise<RunningManager> {
  const manager = await management.startManager();
  await eventually(async () => expect((await fetch(`${manager.healthUrl}/readyz`)).status).toBe(200));
  return manager;
}

async function machinesOf(pool: string): Promise<readonly string[]> {
  const all = await management.client.list(AzureMachinePoolMachine, { namespace: FLEET });
  const owned = all.filter(({ metadata }) => metadata.ownerReferences?.some(({ name }) => name === pool));
  return owned.map(({ metadata }) => metadata.name).toSorted();
}

/** Waits until so many machines of the pool run, all of them up to date. */
async function settled(replicas: number): Promise<void> {
  await eventually(async () => {
    const { client } = management;
    const { status } = await client.get(MachinePool, PLAIN);
    expect(status).toMatchObject({ phase: "Running", readyReplicas: replicas, replicas });
    const pool = await client.get(AzureMachinePool, PLAIN);
    expect(pool).toHaveCondition("Ready", "True");
    expect(pool.status?.operation).toBeUndefined();
    expect(await machinesOf("plain")).toHaveLength(replicas);
  });
}

/** What was written to scale sets in Azure so far, and is no login. */
function writes(): readonly string[] {
  return management.azure
    .writes()
    .map(({ operation, status }) => `${operation} ${status}`)
    .filter((text) => text.includes("virtualMachineScaleSets"));
}

describe("machine pools on a real kube-apiserver and a simulated Azure", () => {
  test("are made from manifests with every field of CAPZ's, without a warning, also the second time", async () => {
    const { kubectl, client } = management;
    const applied = await kubectl("apply", "-f", POOLS);
    expect(applied.split("\n").filter((line) => !line.endsWith(" created") && line !== "")).toEqual([]);
    await eventually(async () => {
      for (const name of ["plain", "rich", "ephemeral"]) {
        const pool = await client.get(AzureMachinePool, { name, namespace: FLEET });
        expect(pool).toHaveCondition("Ready", "True");
        expect(pool.status?.replicas).toBe(1);
      }
    });
    expect(await kubectl("apply", "-f", POOLS)).not.toMatch(/Warning|Error/);
  });

  test("refuse by a condition what they cannot make, and touch nothing", async () => {
    const { client } = management;
    const before = writes();
    const name = { name: "ephemeral", namespace: FLEET };
    const body = { spec: { template: { networkInterfaces: [{ subnetName: "nowhere" }] } } };
    await client.patch(AzureMachinePool, name, { type: "merge", body });
    await eventually(async () =>
      expect(await client.get(AzureMachinePool, name)).toHaveCondition("Ready", "False", "InvalidSpec"),
    );
    expect(writes()).toEqual(before);
  });

  test("grow", async () => {
    await management.kubectl("scale", "machinepool/plain", "--replicas=3", "-n", FLEET);
    await settled(3);
  });

  test("are rolled to another version, also when the leader is killed in mid-rollout", async () => {
    const { client } = management;
    const before = await machinesOf("plain");
    const asked = writes().length;
    const body = { spec: { template: { spec: { version: "v1.33.5" } } } };
    await client.patch(MachinePool, PLAIN, { type: "merge", body });
    await eventually(async () =>
      expect((await client.get(AzureMachinePool, PLAIN)).status?.operation?.url).toBeDefined(),
    );
    const [leader] = managers;
    leader?.child.kill("SIGKILL");
    await leader?.ended;
    await eventually(async () => {
      const after = await machinesOf("plain");
      expect(after.filter((name) => before.includes(name))).toEqual([]);
    });
    await settled(3);
    const nodes = await client.list(Node);
    expect(nodes.filter(({ metadata }) => metadata.name.startsWith("plain"))).toHaveLength(3);
    // Each PUT makes a machine at least, so that one more than machines would be one that was repeated.
    const puts = writes()
      .slice(asked)
      .filter((text) => text.startsWith("PUT "));
    expect(puts.length).toBeLessThanOrEqual(3);
    expect(new Set(puts)).toEqual(new Set(["PUT virtualMachineScaleSets 200"]));
  });

  longTest("let go of a machine that was deleted, after the budget of its pods allows it", async () => {
    const { client, kubectl } = management;
    const [name = ""] = await machinesOf("plain");
    const machine = { name, namespace: FLEET };
    const { status } = await client.get(AzureMachinePoolMachine, machine);
    await serveOn(status?.nodeRef?.name ?? "");
    await kubectl("delete", "azuremachinepoolmachine", name, "-n", FLEET, "--wait=false");
    await eventually(async () => {
      const { status: now } = await client.get(AzureMachinePoolMachine, machine);
      const drained = getCondition(now?.conditions, "Drained");
      expect(drained).toMatchObject({ reason: "DrainBlocked" });
      expect(drained?.message).toContain("pod default/web is not evicted: PodDisruptionBudget default/web");
    });
    await kubectl("delete", "poddisruptionbudget", "web");
    await eventually(async () => expect(await client.find(AzureMachinePoolMachine, machine)).toBeUndefined());
    expect(await client.find(Pod, { name: "web", namespace: "default" })).toBeUndefined();
    await settled(3);
  });

  longTest("are updated in place: the same machines with another version", async () => {
    const { client } = management;
    const before = await machinesOf("plain");
    const asked = writes().length;
    const rollingUpdate = { instanceUpdate: "InPlace", maxSurge: 0, maxUnavailable: 1 };
    await client.patch(AzureMachinePool, PLAIN, {
      type: "merge",
      body: { spec: { strategy: { rollingUpdate } } },
    });
    const body = { spec: { template: { spec: { version: "v1.34.1" } } } };
    await client.patch(MachinePool, PLAIN, { type: "merge", body });
    await eventually(async () => {
      const machines = await client.list(AzureMachinePoolMachine, { namespace: FLEET });
      const plain = machines.filter(({ metadata }) => before.includes(metadata.name));
      expect(plain.map(({ status }) => status?.version)).toEqual(["v1.34.1", "v1.34.1", "v1.34.1"]);
    });
    await settled(3);
    expect(await machinesOf("plain")).toEqual(before);
    const done = writes().slice(asked);
    expect(done.filter((text) => text.startsWith("PUT "))).toHaveLength(1);
    expect(done.filter((text) => text.includes("manualupgrade"))).toHaveLength(3);
    expect(done.filter((text) => text.includes("delete"))).toEqual([]);
  });

  longTest("shrink", async () => {
    await management.kubectl("scale", "machinepool/plain", "--replicas=1", "-n", FLEET);
    await settled(1);
  });

  test("leave nothing in Azure when the cluster is deleted", async () => {
    await management.kubectl("delete", "cluster", "reachable", "-n", FLEET, "--timeout=110s");
    expect(management.azure.resources()).toEqual([]);
    expect(await management.client.list(AzureMachinePoolMachine)).toEqual([]);
  });
});

/** A ready pod on a Node, with a budget that lets nobody evict it. */
async function serveOn(nodeName: string): Promise<void> {
  const { client, kubectl } = management;
  const labels = { app: "web" };
  const web = pod({ metadata: { name: "web", namespace: "default", labels }, spec: { nodeName } });
  await client.create(Pod, web);
  const body = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
  await client.patch(Pod, web.metadata, { type: "merge", body, subresource: "status" });
  await kubectl("create", "poddisruptionbudget", "web", "--selector=app=web", "--min-available=1");
}
