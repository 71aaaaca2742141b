/** The resources that the checks create in their group, as ARM takes them. */
import { isJsonObject, type JsonObject } from "@capstan/api";
import type { Trial } from "./trial.ts";

const COMPUTE = "Microsoft.Compute";
const NETWORK = "Microsoft.Network/virtualNetworks/capstan";
const IMAGE = {
  publisher: "Canonical",
  offer: "0001-com-ubuntu-server-jammy",
  sku: "22_04-lts-gen2",
  version: "latest",
};

/** The ids of what is created more than once or used by several checks. */
export const idsIn = (trial: Pick<Trial, "id">) => ({
  network: trial.id(NETWORK),
  subnet: trial.id(`${NETWORK}/subnets/nodes`),
  set: trial.id(`${COMPUTE}/virtualMachineScaleSets/capstan`),
  setOfDefinition: trial.id(`${COMPUTE}/virtualMachineScaleSets/capstan-definition`),
  snapshot: trial.id(`${COMPUTE}/snapshots/capstan`),
  gallery: trial.id(`${COMPUTE}/galleries/capstan`),
  definition: trial.id(`${COMPUTE}/galleries/capstan/images/node`),
  version: (name: string): string => trial.id(`${COMPUTE}/galleries/capstan/images/node/versions/${name}`),
  machine: trial.id(`${COMPUTE}/virtualMachines/capstan`),
  nic: trial.id("Microsoft.Network/networkInterfaces/capstan"),
});

/** The network that all machines are in. */
export async function createNetwork(trial: Trial): Promise<void> {
  await trial.put(idsIn(trial).network, {
    location: trial.location,
    properties: {
      addressSpace: { addressPrefixes: ["10.99.0.0/24"] },
      subnets: [{ name: "nodes", properties: { addressPrefix: "10.99.0.0/25" } }],
    },
  });
}

/** A scale set as pools have it: Uniform, upgraded by hand, without overprovisioning. */
export function scaleSetBody(
  trial: Trial,
  { capacity, image = IMAGE, customData = "#cloud-config\n" }: ScaleSetChoice,
): JsonObject {
  const { location, size } = trial;
  const subnet = { id: idsIn(trial).subnet };
  const ipConfigurations = [{ name: "ip", properties: { subnet } }];
  return {
    location,
    sku: { name: size, capacity },
    properties: {
      orchestrationMode: "Uniform",
      overprovision: false,
      singlePlacementGroup: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        osProfile: { ...osProfile(trial, "capstan"), customData: base64(customData) },
        storageProfile: {
          imageReference: image,
          osDisk: { createOption: "FromImage", managedDisk: { storageAccountType: "Standard_LRS" } },
        },
        networkProfile: {
          networkInterfaceConfigurations: [{ name: "nic", properties: { primary: true, ipConfigurations } }],
        },
      },
    },
  };
}

interface ScaleSetChoice {
  readonly capacity: number;
  readonly image?: JsonObject;
  readonly customData?: string;
}

/** A virtual machine of an image version. */
export function machineBody(trial: Trial, image: JsonObject): JsonObject {
  const { location, size, password } = trial;
  return {
    location,
    properties: {
      hardwareProfile: { vmSize: size },
      osProfile: { computerName: "capstan", adminUsername: "capstan", adminPassword: password },
      storageProfile: {
        imageReference: image,
        osDisk: { createOption: "FromImage", managedDisk: { storageAccountType: "Standard_LRS" } },
      },
      networkProfile: { networkInterfaces: [{ id: idsIn(trial).nic }] },
    },
  };
}

/** The network interface of the virtual machine. */
export async function createInterface(trial: Trial): Promise<void> {
  const { nic, subnet } = idsIn(trial);
  const ipConfigurations = [
    { name: "ip", properties: { subnet: { id: subnet }, privateIPAllocationMethod: "Dynamic" } },
  ];
  await trial.put(nic, { location: trial.location, properties: { ipConfigurations } });
}

function osProfile({ password }: Trial, prefix: string): JsonObject {
  return { computerNamePrefix: prefix, adminUsername: "capstan", adminPassword: password };
}

/** The instances of a scale set, oldest first. */
export async function instancesOf(trial: Trial, set: string): Promise<readonly JsonObject[]> {
  const items = await trial.list(`${set}/virtualMachines`);
  return items.toSorted((a, b) => Number(a["instanceId"]) - Number(b["instanceId"]));
}

/** The ARM id of the first instance of a scale set. */
export async function firstInstance(trial: Trial, set: string): Promise<string> {
  const [first] = await instancesOf(trial, set);
  return `${set}/virtualMachines/${textAt(first, "instanceId") || "0"}`;
}

/** The power state of a machine or an instance, such as `running`. */
export async function powerOf(trial: Trial, machine: string): Promise<string> {
  const body = await trial.get(machine, { query: { $expand: "instanceView" } });
  const statuses = at(body, "properties", "instanceView", "statuses");
  const codes = Array.isArray(statuses) ? statuses.map((one: unknown) => String(at(one, "code"))) : [];
  return codes.find((code) => code.startsWith("PowerState/"))?.slice("PowerState/".length) ?? "unknown";
}

/** The value at a path of an answer; undefined if it is not there. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isJsonObject(inner) ? inner[name] : undefined), value);
}

/** The text at a path of an answer; empty if it is not there. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === "string" ? found : "";
}

/** What custom data looks like in ARM. */
function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
