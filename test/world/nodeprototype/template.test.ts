import {
  AzureMachineTemplate,
  isTrue,
  KubeadmControlPlane,
  Machine,
  MachineDeployment,
  olderConditionsOf,
  PROTOTYPE_DONOR_ANNOTATION,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import { azureMachineTemplate, kubeadmControlPlane } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { describe, expect, test } from "vitest";
import { get, MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import { NEW_VERSION, nodesOf } from "../kit/pool-world.ts";
import { listed } from "../azuremachinepool/stories.ts";
import { BASE_IMAGE, HOUR_MS, resourcesOf } from "../kit/prototype-world.ts";
import {
  clonesIn,
  createWorkers,
  diskOfMachine,
  machinesIn,
  scaleWorkers,
  templateStored,
  templateWorld,
  untilTemplateRenewed,
  WORKERS,
} from "./template-world.ts";

/** Every Node takes pods, and no Machine is a donor. */
async function expectInService(world: World): Promise<void> {
  const nodes = await nodesOf(world);
  expect(nodes.filter(({ spec }) => spec?.unschedulable === true)).toEqual([]);
  const donors = (await machinesIn(world)).filter(
    ({ metadata }) => metadata.annotations?.[PROTOTYPE_DONOR_ANNOTATION] !== undefined,
  );
  expect(donors).toEqual([]);
}

/** The template has an image of this donor, and its spec is as the user wrote it. Returns the id of the definition. */
async function expectRenewed(world: World, donor: string): Promise<string> {
  await world.advance(MINUTE_MS);
  const { status, metadata, spec } = await get(world, AzureMachineTemplate, WORKERS);
  expect(status).toMatchObject({ nodePrototyping: { phase: "Idle", history: [{ state: "Active", donor }] } });
  expect(olderConditionsOf({ status })).toContainEqual(
    expect.objectContaining({ type: "LastOsCache", status: "True" }),
  );
  expect(spec.template.spec.image).toEqual(BASE_IMAGE);
  expect(resourcesOf(world, "snapshots")).toEqual([]);
  const { bootImage } = status?.nodePrototyping ?? {};
  expect(metadata.annotations).toMatchObject({ [PROTOTYPE_IMAGE_ANNOTATION]: bootImage?.id });
  return bootImage?.id ?? "";
}

async function namesIn(world: World): Promise<readonly string[]> {
  return (await clonesIn(world)).map(({ metadata }) => metadata.name);
}

test("a machine created after a renewal boots from the image of the donor, which serves again", async () => {
  const world = await templateWorld();
  await createWorkers(world, { annotations: { nodeCachingInterval: "24h" } });
  const [donor = ""] = await namesIn(world);
  diskOfMachine(world, donor).write("/etc/patch", "1.2.3");
  await untilTemplateRenewed(world);
  const id = await expectRenewed(world, donor);
  await expectInService(world);
  await scaleWorkers(world, 3);
  expect((await clonesIn(world)).at(-1)?.spec.image).toEqual({ id });
  const disks = (await namesIn(world)).map((name) => diskOfMachine(world, name));
  expect(disks.map((disk) => disk.read("/etc/patch"))).toEqual(["1.2.3", undefined, "1.2.3"]);
  expect(new Set(disks.map((disk) => disk.read("/etc/machine-id"))).size).toBe(3);
});

test.each([
  ["RollingUpdate", ["1.2.3", "1.2.3", "1.2.3"]],
  ["None", ["1.2.3", undefined, undefined]],
])("with the policy %s, machines that exist have %j after a renewal", async (rolloutPolicy, patches) => {
  const world = await templateWorld();
  await createWorkers(world, { nodeCachingMode: { interval: "8000h", rolloutPolicy } }, { replicas: 3 });
  const [donor = "", ...others] = await namesIn(world);
  diskOfMachine(world, donor).write("/etc/patch", "1.2.3");
  const annotations = { [PROTOTYPE_NOW_ANNOTATION]: "1" };
  await patch(world, AzureMachineTemplate, WORKERS, { metadata: { annotations } });
  await untilTemplateRenewed(world);
  // The default budget of a MachineDeployment is a surge of one, so three machines are always ready.
  const isShort = (): boolean =>
    listed<Machine>(world, Machine).filter(({ status }) => isTrue(olderConditionsOf({ status }), "Ready"))
      .length < 3;
  expect(await world.until(isShort, 2 * HOUR_MS)).toBe(false);
  const after = await namesIn(world);
  expect(after.map((name) => diskOfMachine(world, name).read("/etc/patch"))).toEqual(patches);
  expect(after.filter((name) => [donor, ...others].includes(name))).toHaveLength(
    rolloutPolicy === "None" ? 3 : 0,
  );
  await world.advance(2 * HOUR_MS);
  expect(await namesIn(world)).toEqual(after);
  await expectInService(world);
});

describe("a stopped donor comes back", () => {
  async function withStoppedDonor(): Promise<World> {
    const world = await templateWorld();
    await createWorkers(world, { nodeCachingMode: { interval: "8000h" } });
    const annotations = { [PROTOTYPE_NOW_ANNOTATION]: "1" };
    await patch(world, AzureMachineTemplate, WORKERS, { metadata: { annotations } });
    const isStopped = (): boolean => templateStored(world)?.status?.nodePrototyping?.phase === "Snapshotting";
    expect(await world.until(isStopped, 2 * HOUR_MS)).toBe(true);
    return world;
  }

  test("when the manager is killed", async () => {
    const world = await withStoppedDonor();
    world.managers.crash(1, 10_000);
    await world.advance(10 * MINUTE_MS);
    await expectInService(world);
  });

  test("when the field leaves the template, and its images go", async () => {
    const world = await withStoppedDonor();
    const spec = { template: { spec: { nodeCachingMode: null } } };
    await patch(world, AzureMachineTemplate, WORKERS, { spec });
    await world.advance(60 * MINUTE_MS);
    await expectInService(world);
    expect(templateStored(world)?.status?.nodePrototyping).toBeUndefined();
    expect(resourcesOf(world, "snapshots")).toEqual([]);
  });
});

test("a deleted template leaves no image in Azure", async () => {
  const world = await templateWorld();
  await createWorkers(world, { annotations: { nodeCachingInterval: "24h" } });
  await untilTemplateRenewed(world);
  expect(resourcesOf(world, "galleries/images/versions")).toHaveLength(1);
  await remove(world, AzureMachineTemplate, WORKERS);
  await world.advance(HOUR_MS);
  expect(templateStored(world)).toBeUndefined();
  expect(resourcesOf(world, "galleries/images")).toEqual([]);
  await expectInService(world);
});

test("machines of another Kubernetes version boot from the image in the spec", async () => {
  const world = await templateWorld();
  await createWorkers(world, { annotations: { nodeCachingInterval: "24h" } });
  await untilTemplateRenewed(world);
  const { image } = (await get(world, AzureMachineTemplate, WORKERS)).spec.template.spec;
  await patch(world, MachineDeployment, WORKERS, { spec: { template: { spec: { version: NEW_VERSION } } } });
  await world.advance(2 * HOUR_MS);
  const clones = await clonesIn(world);
  expect(clones.map(({ spec }) => spec.image)).toEqual([image, image]);
});

test("a template of a control plane is refused", async () => {
  const world = await templateWorld();
  const template = azureMachineTemplate({
    metadata: { name: WORKERS, namespace: NAMESPACE, annotations: { nodeCachingInterval: "24h" } },
    spec: { template: { spec: { image: BASE_IMAGE } } },
  });
  await world.run(world.user.create(AzureMachineTemplate, template));
  const { group, kind } = AzureMachineTemplate;
  const machineTemplate = { spec: { infrastructureRef: { apiGroup: group, kind, name: WORKERS } } };
  const controlPlane = kubeadmControlPlane({
    metadata: { name: "cp", namespace: NAMESPACE },
    spec: { machineTemplate },
  });
  await world.run(world.user.create(KubeadmControlPlane, controlPlane));
  await world.advance(20 * MINUTE_MS);
  const condition = templateStored(world)?.status?.conditions?.find(({ type }) => type === "LastOsCache");
  expect(condition).toMatchObject({
    status: "False",
    reason: "SwitchedOff",
    message: "KubeadmControlPlane cp uses the template: images are taken of workers only",
  });
});
