/** The flavours of CAPZ's templates, condensed: the same kinds and fields, with names of our own. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Cluster, getCondition, type KubernetesObject, olderConditionsOf } from "@capstan/api";
import type { World } from "@capstan/sim";
import { expect, test } from "vitest";
import { convertText } from "../../../packages/cli/src/convert/convert-text.ts";
import type { Target } from "../../../packages/cli/src/convert/target.ts";
import { idIn, LOCATION, portal } from "../kit/network-world.ts";
import { get, MINUTE_MS } from "../kit/fleet-world.ts";
import { comesUp, manifestWorld, objectsIn } from "./manifest-world.ts";

const NAME = "pier";

interface Flavour {
  readonly files: readonly string[];
  /** Fields of the flavour, by kind and name: merged into `spec`, or into the spec of the machines of a template. */
  readonly fields?: Readonly<Record<string, object>>;
  /** The version into which `capstan convert` has brought the files; theirs is v1beta1. */
  readonly inVersion?: Target;
  /** What exists in Azure before. */
  readonly before?: (world: World) => Promise<void>;
}

const MACHINES = ["control-plane.yaml", "machine-deployment.yaml"];
const EPHEMERAL = {
  osDisk: { osType: "Linux", cachingType: "ReadOnly", diffDiskSettings: { option: "Local" }, diskSizeGB: 50 },
};
const INTERNAL = {
  vnet: { name: "pier-vnet" },
  apiServerLB: { name: "pier-internal-lb", type: "Internal", availabilityZones: ["1", "2", "3"] },
  controlPlaneOutboundLB: { frontendIPsCount: 1 },
  nodeOutboundLB: { frontendIPsCount: 1 },
  subnets: [
    { name: "control-plane-subnet", role: "control-plane" },
    { name: "node-subnet", role: "node" },
  ],
};

/** The flavour's own names of subnets, security groups and route table, in a network that exists. */
const CUSTOM = {
  vnet: { name: "own-vnet", resourceGroup: "own-network" },
  subnets: [
    {
      name: "own-vnet-controlplane-subnet",
      role: "control-plane",
      securityGroup: { name: "control-plane-nsg" },
    },
    {
      name: "own-vnet-node-subnet",
      role: "node",
      routeTable: { name: "node-routetable" },
      securityGroup: { name: "node-nsg" },
    },
  ],
};

/** Creates the network of the user: a group with it and its subnets. */
async function createNetwork(world: World): Promise<void> {
  await portal(world, "PUT", idIn("own-network"), { location: LOCATION });
  await portal(world, "PUT", idIn("own-network", "virtualNetworks/own-vnet"), {
    location: LOCATION,
    properties: {
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: CUSTOM.subnets.map(({ name }, index) => ({
        name,
        properties: { addressPrefix: `10.${index}.0.0/16` },
      })),
    },
  });
}

const FLAVOURS: Readonly<Record<string, Flavour>> = {
  default: { files: MACHINES },
  machinepool: { files: ["control-plane.yaml", "machine-pool.yaml"] },
  ephemeral: {
    files: MACHINES,
    fields: {
      "AzureMachineTemplate pier-control-plane": EPHEMERAL,
      "AzureMachineTemplate pier-md-0": EPHEMERAL,
    },
  },
  spot: {
    files: MACHINES,
    fields: {
      "AzureMachineTemplate pier-md-0": {
        vmSize: "Standard_B2s_v2",
        spotVMOptions: { evictionPolicy: "Delete", maxPrice: 1000 },
      },
    },
  },
  "private, without its Bastion host,": {
    files: MACHINES,
    fields: { "AzureCluster pier": { networkSpec: INTERNAL } },
  },
  "custom vnet": {
    files: [...MACHINES, "health-check.yaml"],
    fields: { "AzureCluster pier": { networkSpec: CUSTOM } },
    before: createNetwork,
  },
  aks: { files: ["aks.yaml"] },
};

function objectsOf({ files, fields = {}, inVersion }: Flavour): readonly KubernetesObject[] {
  return ["identity.yaml", ...files].flatMap((file) => {
    const text = readFileSync(join(import.meta.dirname, file), "utf8");
    return objectsIn(inVersion ? converted(file, text, inVersion) : text).map((object) =>
      withFields(object, fields),
    );
  });
}

/** The text that `capstan convert` prints, without a warning. */
function converted(origin: string, text: string, version: Target): string {
  const result = convertText({ origin, text }, version);
  expect(result.warnings).toEqual([]);
  return result.text;
}

function withFields(object: KubernetesObject, fields: Readonly<Record<string, object>>): KubernetesObject {
  const given = fields[`${object.kind} ${object.metadata.name}`];
  if (!given) return object;
  const { spec } = object as { spec?: { template?: { spec: object } } } & KubernetesObject;
  Object.assign(spec?.template?.spec ?? spec ?? {}, given);
  return object;
}

const flavourWorld = (flavour: Flavour): Promise<World> =>
  manifestWorld(objectsOf(flavour), { before: flavour.before });

test.each(Object.entries(FLAVOURS))("CAPZ's flavour %s comes up", async (_name, flavour) => {
  const world = await flavourWorld(flavour);
  expect(await comesUp(world, NAME, { workers: 2 })).toBe(true);
  const { status } = await get(world, Cluster, NAME);
  expect(status).toMatchObject({
    initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
  });
});

test.each(["v1beta1", "v1beta2"] as const)(
  "CAPZ's flavour default has three machines that are Ready in %s, made by capstan convert",
  async (inVersion) => {
    const flavour = { files: MACHINES, inVersion };
    const versions = new Map(objectsOf(flavour).map(({ kind, apiVersion }) => [kind, apiVersion]));
    for (const kind of ["Cluster", "AzureCluster", "KubeadmControlPlane", "MachineDeployment"])
      expect(versions.get(kind)).toMatch(new RegExp(`/${inVersion}$`));
    const world = await flavourWorld(flavour);
    expect(await comesUp(world, NAME, { workers: 2, machines: 3 })).toBe(true);
  },
);

test("CAPZ's flavour private says that Bastion hosts are not supported", async () => {
  const fields = { "AzureCluster pier": { networkSpec: INTERNAL, bastionSpec: { azureBastion: {} } } };
  const world = await flavourWorld({ files: MACHINES, fields });
  await world.advance(MINUTE_MS);
  const { status } = await get(world, Cluster, NAME);
  expect(getCondition(olderConditionsOf({ status }), "Ready")).toMatchObject({
    status: "False",
    reason: "NotSupported",
    message: expect.stringContaining(
      "spec.bastionSpec.azureBastion: Azure Bastion hosts are not supported yet",
    ) as string,
  });
});
