import {
  controllerOf,
  getCondition,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  MachineSet,
  olderConditionsOf,
  SKIP_PREFLIGHT_CHECKS_ANNOTATION,
} from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { create, find, get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/cluster-world.ts";
import {
  CLUSTER,
  createTemplate,
  DEPLOYMENT,
  deployment,
  deploymentWorld,
  isAvailable,
  machinesIn,
  nodesIn,
  PATIENCE_MS,
  referenceTo,
  setsIn,
} from "../kit/deployment-world.ts";
import { TestMachine, TestMachineTemplate } from "../kit/test-provider.ts";

test("a MachineDeployment of a foreign kind is created, scaled, rolled and deleted", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(3);
  expect(await nodesIn(world)).toHaveLength(3);

  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 5 } });
  await world.rest(PATIENCE_MS);
  expect((await machinesIn(world)).filter(isAvailable)).toHaveLength(5);

  await createTemplate(world, "large");
  const infrastructureRef = referenceTo(TestMachineTemplate, "large");
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { infrastructureRef } } } });
  await world.rest(PATIENCE_MS);
  const infrastructure = await world.run(world.user.list(TestMachine));
  expect(infrastructure.map(({ spec }) => spec?.["size"])).toEqual(Array(5).fill("large"));
  expect(await setsIn(world)).toHaveLength(1);
  expect(await nodesIn(world)).toHaveLength(5);
  expect(await get(world, MachineDeployment, DEPLOYMENT)).toMatchObject({
    status: { phase: "Running", replicas: 5, upToDateReplicas: 5, availableReplicas: 5 },
  });

  await remove(world, MachineDeployment, DEPLOYMENT);
  await world.rest(PATIENCE_MS);
  expect(await find(world, MachineDeployment, DEPLOYMENT)).toBeUndefined();
  expect(await machinesIn(world)).toEqual([]);
  expect(await world.run(world.user.list(TestMachine))).toEqual([]);
  expect(await nodesIn(world)).toEqual([]);
});

test("a recorded machine that was never created and is not needed any more leaves the record", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.rest(PATIENCE_MS);
  const [set] = await setsIn(world);
  const place = { name: set?.metadata.name ?? "", namespace: NAMESPACE };
  const body = { status: { creatingMachines: ["workers-ghost"] } };
  const patched = await world.run(
    world.user.patch(MachineSet, place, { type: "merge", subresource: "status", body }),
  );
  expect(patched.status?.creatingMachines).toEqual(["workers-ghost"]);
  await world.rest(PATIENCE_MS);
  expect((await setsIn(world))[0]?.status?.creatingMachines).toBeUndefined();
  const names = (await machinesIn(world)).filter(isAvailable).map(({ metadata }) => metadata.name);
  expect(names).toHaveLength(3);
  expect(names).not.toContain("workers-ghost");
});

test("a machine that was recorded and never created goes before one that runs, when its set shrinks", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment({ spec: { replicas: 2 } }));
  await world.rest(PATIENCE_MS);
  const before = uidsOf(await machinesIn(world));
  expect(before).toHaveLength(2);
  const isCreation = { verb: "patch", resource: "machines", by: "machineset", times: 1 };
  world.addFault({ fault: "crash-before-write", when: { trigger: isCreation } });
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 3 } });
  await world.advance(MINUTE_MS / 12);
  const [set] = await setsIn(world);
  expect(set?.status?.creatingMachines).toHaveLength(1);
  // The manager is away. It would set the replicas of the set only after a look at its machines.
  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { replicas: 2 } });
  await patch(world, MachineSet, set?.metadata.name ?? "", { spec: { replicas: 2 } });
  await world.rest(PATIENCE_MS);
  expect(uidsOf(await machinesIn(world))).toEqual(before);
});

function uidsOf(objects: readonly { readonly metadata: { readonly uid?: string } }[]): readonly string[] {
  return objects.map(({ metadata: { uid = "" } }) => uid).toSorted();
}

test("a MachineSet that is being deleted says how many machines that waits for", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.rest(PATIENCE_MS);
  const [machine] = await machinesIn(world);
  const annotations = { "pre-drain.delete.hook.machine.cluster.x-k8s.io/backup": "" };
  await patch(world, Machine, machine?.metadata.name ?? "", { metadata: { annotations } });
  const [set] = await setsIn(world);
  await world.run(world.user.delete(MachineDeployment, { name: DEPLOYMENT, namespace: NAMESPACE }));
  await world.advance(10 * MINUTE_MS);
  const status = (await get(world, MachineSet, set?.metadata.name ?? "")).status;
  expect(getCondition(olderConditionsOf({ status }), "Ready")).toMatchObject({
    status: "False",
    reason: "WaitingForMachinesDeletion",
    message: "Waiting until 1 machine of the set are gone",
  });
});

test("a machine shows the failure domain that its infrastructure reports", async () => {
  const world = await deploymentWorld();
  const { spec } = deployment();
  const template = { ...spec.template, spec: { ...spec.template.spec, failureDomain: "rack-2" } };
  await create(world, MachineDeployment, { ...deployment(), spec: { ...spec, template, replicas: 1 } });
  await world.rest(PATIENCE_MS);
  const [machine] = await machinesIn(world);
  expect([machine?.spec.failureDomain, machine?.status?.failureDomain]).toEqual(["rack-2", "rack-2"]);
});

test("a machine says whether it is up to date, and pods avoid the Nodes of outdated machines", async () => {
  const world = await deploymentWorld();
  await create(
    world,
    MachineDeployment,
    deployment({ spec: { rollout: { strategy: { type: "OnDelete" } } } }),
  );
  await world.rest(PATIENCE_MS);
  const seen = async (): Promise<unknown> => ({
    conditions: (await machinesIn(world)).map(({ status }) => {
      const { status: state, message } = getCondition(olderConditionsOf({ status }), "UpToDate") ?? {};
      return message === undefined ? state : `${state}: ${message}`;
    }),
    taints: (await nodesIn(world)).map(({ spec }) => spec?.taints ?? []),
  });
  const upToDate = { conditions: ["True", "True", "True"], taints: [[], [], []] };
  expect(await seen()).toEqual(upToDate);

  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { version: "v1.31.3" } } } });
  await world.rest(PATIENCE_MS);
  const why = `False: MachineDeployment ${DEPLOYMENT}: spec.template.spec changed: version`;
  const taint = { key: "node.cluster.x-k8s.io/outdated-revision", effect: "PreferNoSchedule" };
  expect(await seen()).toEqual({ conditions: [why, why, why], taints: [[taint], [taint], [taint]] });

  await patch(world, MachineDeployment, DEPLOYMENT, { spec: { template: { spec: { version: "v1.31.2" } } } });
  await world.rest(PATIENCE_MS);
  expect(await seen()).toEqual(upToDate);
});

test("a settled MachineDeployment costs no write, with and without labels of its template", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  const labelled = {
    metadata: { name: "labelled" },
    spec: { template: { metadata: { labels: { team: "a" } } } },
  };
  await create(world, MachineDeployment, deployment(labelled));
  await world.rest(PATIENCE_MS);
  const before = world.trace.events.length;
  await world.advance(3 * 60 * MINUTE_MS);
  const writes = world.trace.events
    .slice(before)
    .flatMap(({ actor, happening }) =>
      happening.kind === "write" && actor.startsWith("manager") && happening.resource !== "leases"
        ? [`${happening.verb} ${happening.resource} by ${actor}`]
        : [],
    );
  expect(writes).toEqual([]);
});

test("a MachineDeployment adopts a MachineSet without a controller, and replaces no machine", async () => {
  const world = await deploymentWorld();
  await create(world, MachineDeployment, deployment());
  await world.rest(PATIENCE_MS);
  const before = (await machinesIn(world)).map(({ metadata }) => metadata.uid);
  const [set] = await setsIn(world);
  await patch(world, MachineSet, set?.metadata.name ?? "", { metadata: { ownerReferences: null } });
  await world.rest(PATIENCE_MS);
  const { uid } = (await get(world, MachineDeployment, DEPLOYMENT)).metadata;
  expect((await setsIn(world)).map((one) => controllerOf(one)?.uid)).toEqual([uid]);
  expect((await machinesIn(world)).map(({ metadata }) => metadata.uid)).toEqual(before);
});

test.each<[string, (world: World, annotations: object) => Promise<unknown>]>([
  [
    "at the MachineDeployment",
    (world, annotations) => patch(world, MachineDeployment, DEPLOYMENT, { metadata: { annotations } }),
  ],
  [
    "at the template of bootstrap configs",
    (world, annotations) => patch(world, KubeadmConfigTemplate, "join", { metadata: { annotations } }),
  ],
])(
  "no machine is created that is newer than its control plane, until a user skips the check %s",
  async (_, skip) => {
    const world = await deploymentWorld();
    await create(world, MachineDeployment, deployment());
    await world.rest(PATIENCE_MS);
    const controlPlane = { name: CLUSTER, namespace: NAMESPACE };
    const status = { initialization: { controlPlaneInitialized: true }, version: "v1.31.2" };
    const reported = { type: "merge", subresource: "status", body: { status } } as const;
    await world.run(world.user.patch(KubeadmControlPlane, controlPlane, reported));
    await patch(world, MachineDeployment, DEPLOYMENT, {
      spec: { template: { spec: { version: "v1.99.0" } } },
    });
    await world.advance(PATIENCE_MS);
    expect(await machinesIn(world)).toHaveLength(3);
    const held = (await setsIn(world)).find(({ spec }) => spec.template.spec.version === "v1.99.0");
    expect(olderConditionsOf(held)).toContainEqual(
      expect.objectContaining({ type: "MachinesCreated", status: "False", reason: "PreflightCheckFailed" }),
    );
    const { status: reportedByOwner } = await get(world, MachineDeployment, DEPLOYMENT);
    expect(olderConditionsOf({ status: reportedByOwner })).toContainEqual(
      expect.objectContaining({
        type: "RolloutComplete",
        status: "False",
        severity: "Warning",
        reason: "PreflightCheckFailed",
        message: expect.stringContaining("machines of v1.99.0 are newer than the control plane") as string,
      }),
    );
    const annotations = { [SKIP_PREFLIGHT_CHECKS_ANNOTATION]: "All" };
    await skip(world, annotations);
    await world.advance(MINUTE_MS);
    expect((await machinesIn(world)).map(({ spec }) => spec.version)).toContain("v1.99.0");
  },
);
