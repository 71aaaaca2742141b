import {
  getCondition,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineHealthCheck,
  Node,
  olderConditionsOf,
  REMEDIATE_MACHINE_ANNOTATION,
  SKIP_REMEDIATION_ANNOTATION,
} from "@capstan/api";
import { machineHealthCheck, type Overrides } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { setReady } from "../cluster/life.ts";
import { create, find, get, MINUTE_MS, NAMESPACE, patch } from "../kit/cluster-world.ts";
import {
  CLUSTER,
  deployment,
  deploymentWorld,
  isAvailable,
  machinesIn,
  PATIENCE_MS,
} from "../kit/deployment-world.ts";

/** Three machines and a health check of their Nodes. */
async function checkedWorld(overrides: Overrides<MachineHealthCheck> = {}): Promise<World> {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  const spec = {
    clusterName: CLUSTER,
    selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER } },
    checks: { unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 300 }] },
    remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "40%" } },
  };
  await create(world, MachineHealthCheck, machineHealthCheck({ spec }, overrides));
  await world.rest(PATIENCE_MS);
  return world;
}

test("a machine whose Node is not Ready for too long is replaced, and no other one", async () => {
  const world = await checkedWorld();
  const before = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  const [victim = ""] = before;
  await setReady(world, CLUSTER, victim, "False");
  await world.advance(4 * MINUTE_MS);
  expect(await find(world, Machine, victim)).toBeDefined();
  await world.rest(PATIENCE_MS);
  const after = await machinesIn(world);
  expect(after.filter(isAvailable)).toHaveLength(3);
  const names = after.map(({ metadata }) => metadata.name);
  expect(before.filter((name) => !names.includes(name))).toEqual([victim]);
});

test("a machine that a user excluded from remediation is neither counted nor replaced", async () => {
  const world = await checkedWorld();
  const [victim = "", other = ""] = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  const annotations = { [SKIP_REMEDIATION_ANNOTATION]: "" };
  await patch(world, Machine, victim, { metadata: { annotations } });
  await setReady(world, CLUSTER, victim, "False");
  await world.advance(10 * MINUTE_MS);
  expect(await find(world, Machine, victim)).toBeDefined();
  expect((await get(world, MachineHealthCheck, "health")).status).toMatchObject({
    expectedMachines: 2,
    currentHealthy: 2,
  });
  await patch(world, Machine, victim, { metadata: { annotations: { [SKIP_REMEDIATION_ANNOTATION]: null } } });
  await world.advance(10 * MINUTE_MS);
  expect(await find(world, Machine, victim)).toBeUndefined();
  expect(await find(world, Machine, other)).toBeDefined();
});

test("no machine is replaced while more are unhealthy than allowed, and the check says so", async () => {
  const world = await checkedWorld();
  const before = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  for (const name of before.slice(0, 2)) await setReady(world, CLUSTER, name, "False");
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).map(({ metadata }) => metadata.name)).toEqual(before);
  const { status } = await get(world, MachineHealthCheck, "health");
  expect(status).toMatchObject({ expectedMachines: 3, currentHealthy: 1, remediationsAllowed: 0 });
  expect(olderConditionsOf({ status })).toContainEqual(
    expect.objectContaining({ type: "RemediationAllowed", status: "False", reason: "TooManyUnhealthy" }),
  );
});

test("a machine is replaced when a user asks for it, and when its Node is gone", async () => {
  const world = await checkedWorld();
  const [first = "", second = ""] = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  const annotations = { [REMEDIATE_MACHINE_ANNOTATION]: "" };
  await patch(world, Machine, first, { metadata: { annotations } });
  await world.rest(PATIENCE_MS);
  const workload = world.workload(CLUSTER);
  if (workload) await world.run(workload.delete(Node, { name: second }));
  await world.rest(PATIENCE_MS);
  const names = (await machinesIn(world)).filter(isAvailable).map(({ metadata }) => metadata.name);
  expect(names).toHaveLength(3);
  expect(names).not.toContain(first);
  expect(names).not.toContain(second);
});

test("a machine that waits for a preflight check says so, and is replaced as soon as the check passes", async () => {
  const world = await checkedWorld();
  const report = (version: string) => {
    const status = { initialization: { controlPlaneInitialized: true }, version };
    const body = { type: "merge", subresource: "status", body: { status } } as const;
    const name = { name: CLUSTER, namespace: NAMESPACE };
    return world.run(world.user.patch(KubeadmControlPlane, name, body));
  };
  await report("v1.20.0");
  const [name = ""] = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  await patch(world, Machine, name, { metadata: { annotations: { [REMEDIATE_MACHINE_ANNOTATION]: "" } } });
  await world.advance(10 * MINUTE_MS);
  const { metadata, status } = await get(world, Machine, name);
  expect(metadata.deletionTimestamp).toBeUndefined();
  expect(getCondition(status?.conditions, "OwnerRemediated")).toMatchObject({
    reason: "RemediationDeferred",
    message: "the control plane is being upgraded from v1.20.0 to v1.31.2 (ControlPlaneIsStable)",
  });
  await report("v1.31.2");
  await world.advance(15_000);
  const after = await find(world, Machine, name);
  expect(after?.metadata.deletionTimestamp !== undefined || after === undefined).toBe(true);
});

test("a machine that a health check marked says why its owner does not replace it, and when it does", async () => {
  const world = await checkedWorld();
  const limit = (maxInFlight: number) =>
    patch(world, MachineDeployment, "workers", { spec: { remediation: { maxInFlight } } });
  const answerOf = async (name: string) =>
    getCondition((await get(world, Machine, name)).status?.conditions, "OwnerRemediated");
  await limit(0);
  const [name = ""] = (await machinesIn(world)).map(({ metadata }) => metadata.name);
  await patch(world, Machine, name, { metadata: { annotations: { [REMEDIATE_MACHINE_ANNOTATION]: "" } } });
  await world.rest(PATIENCE_MS);
  expect(await answerOf(name)).toMatchObject({
    status: "False",
    reason: "RemediationDeferred",
    message: "0 machines of at most 0 are being replaced, and 1 unhealthy machine must wait",
  });
  await limit(1);
  await world.advance(1_000);
  expect(await answerOf(name)).toMatchObject({ status: "False", reason: "MachineDeleting" });
  await world.rest(PATIENCE_MS);
  expect(await find(world, Machine, name)).toBeUndefined();
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
});
