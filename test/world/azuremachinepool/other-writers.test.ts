/** Other clients write into the scale set of a pool; writes of the pool controller keep what they wrote. */
import { AzureMachinePool, MachinePool } from "@capstan/api";
import { MACHINE_POOL_INVARIANTS, type World } from "@capstan/sim";
import { expect, test } from "vitest";
import { idIn, LOCATION, portal } from "../kit/network-world.ts";
import { get, patch } from "../kit/fleet-world.ts";
import { armCalls, CLUSTER, createPool, onSet, poolWorld, setBody, settled } from "../kit/pool-world.ts";

const BALANCER = idIn(CLUSTER, "loadBalancers/kubernetes");
const BACKEND = `${BALANCER}/backendAddressPools/kubernetes`;
const MONITOR = {
  name: "AzureMonitorLinuxAgent",
  properties: {
    publisher: "Microsoft.Azure.Monitor",
    type: "AzureMonitorLinuxAgent",
    typeHandlerVersion: "1.0",
  },
};
const OURS = { name: "Ours", publisher: "Example.Publisher", version: "1.0" };

interface Profile {
  readonly networkProfile: {
    readonly networkInterfaceConfigurations: readonly {
      readonly name: string;
      readonly properties: { readonly ipConfigurations: readonly { properties: Record<string, unknown> }[] };
    }[];
  };
  readonly extensionProfile?: { readonly extensions: readonly { readonly name: string }[] };
}

// This check takes every change of the model for the pool's own, after which machines are outdated.
const INVARIANTS = MACHINE_POOL_INVARIANTS.filter(({ name }) => name !== "tells-the-truth");

/** A world with a settled pool `mp`. */
async function withPool(template: object = {}): Promise<World> {
  const world = await poolWorld({ invariants: INVARIANTS });
  await createPool(world, "mp");
  await patch(world, AzureMachinePool, "mp", { spec: { template } });
  await settled(world);
  return world;
}

function profileOf(world: World): Profile {
  const { properties } = setBody(world, "mp") as { properties: { virtualMachineProfile: Profile } };
  return properties.virtualMachineProfile;
}

function extensionsOf(world: World): readonly string[] {
  return (profileOf(world).extensionProfile?.extensions ?? []).map(({ name }) => name).sort();
}

/** Adds a backend pool to the first interface, as the cloud provider does for a Service of type LoadBalancer. */
async function addBackend(world: World): Promise<void> {
  const [config, ...others] = structuredClone(profileOf(world).networkProfile.networkInterfaceConfigurations);
  const [address] = config?.properties.ipConfigurations ?? [];
  if (!config || !address) throw new Error("the scale set has no interface");
  address.properties["loadBalancerBackendAddressPools"] = [{ id: BACKEND }];
  const networkProfile = { networkInterfaceConfigurations: [config, ...others] };
  await onSet(world, "PATCH", "mp", { properties: { virtualMachineProfile: { networkProfile } } });
}

test("a backend pool that the cloud provider added to a scale set stays when the pool is scaled", async () => {
  const world = await withPool();
  const backendAddressPools = [{ name: "kubernetes" }];
  await portal(world, "PUT", BALANCER, { location: LOCATION, properties: { backendAddressPools } });
  await addBackend(world);
  await settled(world);

  await patch(world, MachinePool, "mp", { spec: { replicas: 5 } });
  await settled(world);

  const [config] = profileOf(world).networkProfile.networkInterfaceConfigurations;
  expect(config?.properties.ipConfigurations[0]?.properties["loadBalancerBackendAddressPools"]).toEqual([
    { id: BACKEND },
  ]);
});

test("an extension of a policy stays, and one that leaves the spec is removed", async () => {
  const world = await withPool({ vmExtensions: [OURS] });
  const extensionProfile = {
    extensions: [...(profileOf(world).extensionProfile?.extensions ?? []), MONITOR],
  };
  await onSet(world, "PATCH", "mp", { properties: { virtualMachineProfile: { extensionProfile } } });
  await settled(world);
  expect(extensionsOf(world)).toEqual(["AzureMonitorLinuxAgent", "Ours"]);

  await patch(world, AzureMachinePool, "mp", { spec: { template: { vmExtensions: null } } });
  await settled(world);

  expect(extensionsOf(world)).toEqual(["AzureMonitorLinuxAgent"]);
});

test("tags are not written while a write of the scale set runs, and follow it", async () => {
  const world = await withPool();
  await patch(world, MachinePool, "mp", { spec: { replicas: 4 } });
  const isRunning = async (): Promise<boolean> =>
    (await get(world, AzureMachinePool, "mp")).status?.operation !== undefined;
  while (!(await isRunning())) await world.advance(1_000);
  await patch(world, AzureMachinePool, "mp", { spec: { additionalTags: { team: "blue" } } });
  const tagWrites = () =>
    armCalls(world).filter((call) => /^PATCH .*\/mp\/providers\/.*\/tags\//i.test(call)).length;
  const before = tagWrites();
  while (await isRunning()) {
    expect(tagWrites()).toBe(before);
    await world.advance(1_000);
  }
  await settled(world);
  expect(setBody(world, "mp")).toMatchObject({ tags: { team: "blue" } });
});
