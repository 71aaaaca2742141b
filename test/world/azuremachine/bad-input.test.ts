import { AzureMachine, getCondition, Secret } from "@capstan/api";
import type { AzureSettings } from "@capstan/azure-sim";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { LOCATION } from "../kit/network-world.ts";
import { find, MINUTE_MS, NAMESPACE, remove } from "../kit/fleet-world.ts";
import {
  azureMachineNamed,
  azureMachineWorld,
  createMachine,
  GROUP,
  handOverData,
  type MachineOptions,
} from "../kit/azuremachine-world.ts";
import { resourcesIn } from "./life.ts";

const NAME = "worker-1";
const VM = `${GROUP}/providers/Microsoft.Compute/virtualMachines/${NAME}`;

async function attempt(options: MachineOptions, azure: Partial<AzureSettings> = {}): Promise<World> {
  const world = await azureMachineWorld({ azure });
  await createMachine(world, NAME, options);
  await handOverData(world, NAME);
  await world.advance(10 * MINUTE_MS);
  return world;
}

async function runningCondition(world: World): Promise<unknown> {
  const { status } = await azureMachineNamed(world, NAME);
  const { reason, message } = getCondition(status?.conditions, "VMRunning") ?? {};
  return `${reason}: ${message}`;
}

const EXTENSION = { name: "agent", publisher: "example", version: "1.0" };
const REFUSED: readonly (readonly [string, MachineOptions, RegExp])[] = [
  [
    "a subnet that the cluster does not have",
    { spec: { networkInterfaces: [{ subnetName: "nowhere" }] } },
    /^InvalidSpec: spec\.networkInterfaces\[0\]\.subnetName: "nowhere".*control-plane, node/,
  ],
  [
    "a size that is too small for kubeadm",
    { spec: { vmSize: "Standard_B1s" } },
    /^VMSizeUnsuitable: spec\.vmSize: Standard_B1s has 1 vCPU and 1 GiB/,
  ],
  [
    "a size that the region does not offer",
    { spec: { vmSize: "Standard_Nothing" } },
    /^VMSizeUnsuitable: spec\.vmSize: "Standard_Nothing" is not offered in/,
  ],
  [
    "a zone that the size does not have",
    { machine: { failureDomain: "9" } },
    /^VMSizeUnsuitable: spec\.failureDomain of the Machine: Standard_D2s_v3 is not offered in zone 9/,
  ],
  [
    "ultra disks that the size does not take",
    { spec: { vmSize: "Standard_B2s", additionalCapabilities: { ultraSSDEnabled: true } } },
    /^VMSizeUnsuitable: spec\.dataDisks: Standard_B2s takes no ultra disks/,
  ],
];

test("extensions are refused at admission, and a machine that was stored with them says so before anything is created", async () => {
  const world = await azureMachineWorld();
  await expect(createMachine(world, "other", { spec: { vmExtensions: [EXTENSION] } })).rejects.toThrow(
    /spec\.vmExtensions: Forbidden: extensions are not supported yet; install what they install/,
  );
  await createMachine(world, NAME);
  const { storage } = world.management;
  const key = { resource: `${AzureMachine.group}/${AzureMachine.plural}`, namespace: NAMESPACE, name: NAME };
  const stored = storage.get(key);
  if (!stored) throw new Error("the AzureMachine is not stored");
  const draft = structuredClone(stored) as unknown as AzureMachine & { [field: string]: unknown };
  draft.spec.vmExtensions = [EXTENSION];
  await world.run(storage.replace(key, stored, draft));
  await handOverData(world, NAME);
  await world.advance(10 * MINUTE_MS);
  expect(await runningCondition(world)).toMatch(/^NotSupported: spec\.vmExtensions/);
  expect(resourcesIn(world)).toEqual([]);
  await remove(world, AzureMachine, NAME);
  await world.advance(MINUTE_MS);
  expect(await find(world, AzureMachine, NAME)).toBeUndefined();
});

test.each(REFUSED)(
  "a machine with %s is refused before anything is created",
  async (_name, options, expected) => {
    const world = await attempt(options);
    expect(await runningCondition(world)).toMatch(expected);
    expect(resourcesIn(world)).toEqual([]);
    await remove(world, AzureMachine, NAME);
    await world.advance(MINUTE_MS);
    expect(await find(world, AzureMachine, NAME)).toBeUndefined();
  },
);

test.each<[string, MachineOptions, Partial<AzureSettings>, RegExp]>([
  ["an image that does not exist", { machine: { version: "v1.33.99" } }, {}, /NotFound: .*1\.33\.99/],
  [
    "no quota",
    { spec: { vmSize: "Standard_D2s_v3" } },
    { quotas: [{ location: LOCATION, family: "standardDSv3Family", limit: 1 }] },
    /^OperationNotAllowed: .*quota/,
  ],
])(
  "with %s the condition has Azure's error, and the deletion removes the interface",
  async (_name, ...given) => {
    const [options, azure, expected] = given;
    const world = await attempt(options, azure);
    expect(await runningCondition(world)).toMatch(expected);
    expect(resourcesIn(world)).toEqual([`networkInterfaces/${NAME}-nic`]);
    await remove(world, AzureMachine, NAME);
    await world.advance(10 * MINUTE_MS);
    expect(resourcesIn(world)).toEqual([]);
  },
);

test("a machine for which the region is full is not ready, says why, and is deleted without a trace", async () => {
  const capacities = [{ location: LOCATION, size: "Standard_D2s_v3", instances: 0 }];
  const world = await attempt({ spec: { vmSize: "Standard_D2s_v3" } }, { capacities });
  expect(await runningCondition(world)).toMatch(/^AllocationFailed: /);
  expect((await azureMachineNamed(world, NAME)).status).toMatchObject({ ready: false, vmState: "Failed" });
  await remove(world, AzureMachine, NAME);
  await world.advance(10 * MINUTE_MS);
  expect(resourcesIn(world)).toEqual([]);
});

test("a machine without its bootstrap Secret waits, and boots when the Secret exists", async () => {
  const world = await azureMachineWorld();
  await createMachine(world, NAME, { machine: { bootstrap: { dataSecretName: "given" } } });
  await world.advance(3 * MINUTE_MS);
  expect(await runningCondition(world)).toMatch(/^WaitingForBootstrapData: .*"given".*does not exist/);
  const data = { value: Buffer.from("#cloud-config\n").toString("base64") };
  await world.run(world.user.create(Secret, { metadata: { name: "given", namespace: NAMESPACE }, data }));
  await world.advance(30 * MINUTE_MS);
  expect((await azureMachineNamed(world, NAME)).status?.ready).toBe(true);
});

test("a virtual machine of another owner is neither adopted nor deleted", async () => {
  const world = await azureMachineWorld();
  const { resources } = world.azure.core.world;
  await createMachine(world, NAME);
  await handOverData(world, NAME);
  await world.advance(30 * MINUTE_MS);
  const made = resources.get(VM);
  if (!made) throw new Error("the virtual machine does not exist");
  // The tags of another cluster: as if the other owner had created it.
  resources.put({ ...made, body: { ...made.body, tags: { owner: "another" } } });
  await remove(world, AzureMachine, NAME);
  await world.advance(10 * MINUTE_MS);
  expect(resourcesIn(world)).toContain(`virtualMachines/${NAME}`);
});
