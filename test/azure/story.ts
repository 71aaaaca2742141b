/** A short life of a scale set, told by its journal: `node story.ts SEED` prints the hash and when each instance came up. */
import { createAzure, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { Scheduler, VirtualProcess } from "@capstan/env";

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/story`;
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/net`;
const SET = `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;
const IMAGE = {
  publisher: "Canonical",
  offer: "0001-com-ubuntu-server-jammy",
  sku: "22_04-lts-gen2",
  version: "latest",
};

const seed = process.argv[2] ?? "";
const scheduler = new Scheduler({ seed });
const azure = createAzure({ env: new VirtualProcess(scheduler, "azure"), seed });
const booted: string[] = [];
azure.core.onMachine(({ kind, machineId, atMs }) => {
  if (kind === "booted") booted.push(`${machineId.slice(machineId.lastIndexOf("/") + 1)}@${atMs}`);
});

async function send(method: string, path: string, body?: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${azure.issueToken().token}` };
  const version = "api-version=2024-07-01";
  await azure.handle({ method, path: `${path}?${version}`, headers, ...(body !== undefined && { body }) });
  await scheduler.advance(60_000);
}

const subnets = [{ name: "s", properties: { addressPrefix: "10.0.0.0/24" } }];
const ipConfigurations = [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/s` } } }];
await send("PUT", GROUP, { location: "westus" });
await send("PUT", NETWORK, {
  location: "westus",
  properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] }, subnets },
});
await send("PUT", SET, {
  location: "westus",
  sku: { name: "Standard_D2s_v3", capacity: 5 },
  properties: {
    overprovision: false,
    upgradePolicy: { mode: "Manual" },
    virtualMachineProfile: {
      storageProfile: { imageReference: IMAGE },
      networkProfile: { networkInterfaceConfigurations: [{ name: "nic", properties: { ipConfigurations } }] },
    },
  },
});
// How many are ready by now depends on the seed, and so does whether the restart of one is refused.
for (const instance of ["0", "1", "2", "3", "4"])
  await send("POST", `${SET}/virtualMachines/${instance}/restart`);
await scheduler.advance(3_600_000);
await send("GET", `${SET}/instanceView`);
console.log(JSON.stringify({ hash: azure.control.journalHash, booted }));
azure.close();
