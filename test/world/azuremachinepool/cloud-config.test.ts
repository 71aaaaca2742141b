import { KubeadmConfig, Secret } from "@capstan/api";
import { expect, test } from "vitest";
import { get, patch, remove } from "../kit/fleet-world.ts";
import { clusterWorld, createPool, readyMachines, settled } from "../kit/pool-world.ts";

const FILE = {
  path: "/etc/kubernetes/azure.json",
  owner: "root:root",
  permissions: "0644",
  contentFrom: { secret: { name: "mp-azure-json", key: "worker-node-azure.json" } },
};

test("a pool whose machines need CAPZ's azure.json gets it, and again when a user deletes it", async () => {
  const world = await clusterWorld();
  await createPool(world, "mp", { replicas: 1 });
  await patch(world, KubeadmConfig, "mp", { spec: { files: [FILE] } });
  await settled(world);
  expect(await readyMachines(world, "mp")).toHaveLength(1);
  const contents = async (): Promise<unknown> => {
    const { data = {} } = await get(world, Secret, "mp-azure-json");
    return JSON.parse(Buffer.from(data["worker-node-azure.json"] ?? "", "base64").toString()) as unknown;
  };
  const desired = {
    resourceGroup: "demo",
    vmType: "vmss",
    location: "westeurope",
    subnetName: "node",
  };
  expect(await contents()).toMatchObject(desired);
  await remove(world, Secret, "mp-azure-json");
  await world.scheduler.advance(30 * 60_000);
  expect(await contents()).toMatchObject(desired);
});
