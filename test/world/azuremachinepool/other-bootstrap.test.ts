import { KubeadmConfig, Secret } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { get, patch } from "../kit/fleet-world.ts";
import { changedControllers } from "../kit/pool-controllers.ts";
import {
  createPool,
  OLD_VERSION,
  poolOf,
  poolWorld,
  readyMachines,
  setBody,
  settled,
} from "../kit/pool-world.ts";

const SPOT = { template: { vmSize: "Standard_D2s_v3", spotVMOptions: {}, osDisk: { osType: "Linux" } } };

/** A world in which the bootstrap data comes from a provider that answers no requests of pools. */
const besideOthers = (): Promise<World> =>
  poolWorld({
    controllers: (connections) =>
      changedControllers(connections, {
        ports: (ports) => ({ ...ports, rendersBootstrapData: false, isBesideOtherCore: true }),
      }),
  });

/** The bootstrap data in the scale set, and that of the provider. */
async function dataOf(world: World, pool: string): Promise<{ inSet: unknown; made: unknown }> {
  const { properties } = setBody(world, pool) as {
    properties?: { virtualMachineProfile?: { osProfile?: { customData?: string } } };
  };
  const { status } = await get(world, KubeadmConfig, pool);
  const secret = await get(world, Secret, status?.dataSecretName ?? "");
  return { inSet: properties?.virtualMachineProfile?.osProfile?.customData, made: secret.data?.["value"] };
}

test("machines join by the data of another bootstrap provider, which is asked for nothing", async () => {
  const world = await besideOthers();
  await createPool(world, "workers", { replicas: 2, version: OLD_VERSION });
  await settled(world);
  expect(await readyMachines(world, "workers")).toHaveLength(2);
  const { metadata } = await get(world, KubeadmConfig, "workers");
  expect(Object.keys(metadata.annotations ?? {})).not.toContain("capstan.dev/fresh-bootstrap");
  const { pool } = await poolOf(world, "workers");
  expect(pool.status?.infrastructureMachineKind).toBe("AzureMachinePoolMachine");
});

test("a spot pool gets the data with the provider's next token", async () => {
  const world = await besideOthers();
  await createPool(world, "spot", { replicas: 1, version: OLD_VERSION, spec: SPOT });
  await settled(world);
  const before = await dataOf(world, "spot");
  expect(before.inSet).toBe(before.made);
  const bootstrapToken = { token: "abcdef.0123456789abcdef", unsafeSkipCAVerification: true };
  await patch(world, KubeadmConfig, "spot", {
    spec: { joinConfiguration: { discovery: { bootstrapToken } } },
  });
  await settled(world);
  const after = await dataOf(world, "spot");
  expect(after.made).not.toBe(before.made);
  expect(after.inSet).toBe(after.made);
});
