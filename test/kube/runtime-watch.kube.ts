import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  AzureCluster,
  AzureManagedCluster,
  AzureManagedControlPlane,
  Cluster,
  type CustomKind,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { clusterReconciler } from "../../packages/manager/src/reconcilers/cluster/reconciler.ts";
import { type Client, createClient, Runner, silentLogger } from "@capstan/runtime";
import { cluster } from "@capstan/runtime/testing/builders";
import { conditionMatchers } from "@capstan/runtime/testing/matchers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { definitionOf, foreign, foreignKind } from "../world/kit/foreign-kinds.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";

expect.extend(conditionMatchers);

const RocketCluster = foreignKind("infrastructure.rockets.example.com", "RocketCluster", "rocketclusters");
const KINDS: readonly CustomKind[] = [
  Cluster,
  Machine,
  MachineSet,
  MachineDeployment,
  MachinePool,
  KubeadmControlPlane,
  AzureCluster,
  AzureManagedCluster,
  AzureManagedControlPlane,
];
const demo = { name: "demo", namespace: "default" };
const env = createRealEnv();

let plane: ControlPlane;
let client: Client;
let runner: Runner;

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  for (const { group, plural } of KINDS) {
    const file = `packages/api/crds/${group}_${plural}.yaml`;
    await establish(client, parse(readFileSync(file, "utf8")) as CustomResourceDefinition);
  }
  const workloads = {
    get: () => Promise.reject(new Error("this Cluster has no endpoint, so it is never connected to")),
    onNodeChange: () => undefined,
    onAnswer: () => undefined,
    drop: () => undefined,
  };
  runner = new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "capstan",
    reconcilers: [clusterReconciler({ workloads })],
  });
  await runner.start();
});
afterAll(async () => {
  await runner.stop();
  await plane.stop();
});

/** Repeats the assertion until it holds; the time limit of the test ends it otherwise. */
async function eventually(assertion: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await assertion();
    } catch {
      await sleep(100);
    }
  }
}

test("a kind whose CRD is missing is watched on a real kube-apiserver, installed later, and then seen", async () => {
  const { group: apiGroup, kind, name } = { ...RocketCluster, ...demo };
  await client.create(
    Cluster,
    cluster({ metadata: demo, spec: { infrastructureRef: { apiGroup, kind, name } } }),
  );
  await eventually(async () => {
    const waiting = await client.get(Cluster, demo);
    expect(waiting).toHaveCondition("InfrastructureReady", "False");
    expect(JSON.stringify(waiting.status)).toContain("RocketCluster is not served");
  });
  expect(runner.unready()).toEqual([]);
  await establish(client, definitionOf(RocketCluster));
  await client.create(RocketCluster, foreign(RocketCluster, "demo"));
  const body = { status: { ready: true } };
  await client.patch(RocketCluster, demo, { type: "merge", subresource: "status", body });
  await eventually(async () => {
    expect((await client.get(Cluster, demo)).status).toMatchObject({
      initialization: { infrastructureProvisioned: true },
    });
  });
});
