import { Cluster, Secret } from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { createRng, nameSuffix } from "@capstan/env";
import { SCENARIO_LOCATION } from "../scenario/scenario-world.ts";
import type { ScaleSet } from "../scenario/step.ts";
import type { World } from "../world/world.ts";
import { armOk, StepError } from "./step-error.ts";

const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/scenario`;
const NETWORK = `${GROUP}/providers/Microsoft.Network/virtualNetworks/network`;
const GALLERY = "/CommunityGalleries/ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";

/** The ARM id of a scale set of a scenario. */
export function scaleSetId(name: string): string {
  return `${GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
}

/** Creates the group and the network for all scale sets of a scenario. */
export async function createNetwork(world: World): Promise<void> {
  await armOk(world, { method: "PUT", path: GROUP, body: { location: SCENARIO_LOCATION } });
  const addressPrefix = "10.0.0.0/8";
  const properties = {
    addressSpace: { addressPrefixes: [addressPrefix] },
    // A subnet of this size has more addresses than any scenario has machines.
    subnets: [{ name: "machines", properties: { addressPrefix: "10.0.0.0/9" } }],
  };
  await armOk(world, { method: "PUT", path: NETWORK, body: { location: SCENARIO_LOCATION, properties } });
  // A network takes some seconds; scenarios should not have to wait for it.
  await world.advance(60_000);
}

/** Creates a scale set whose machines join their cluster with their own token. */
export async function createScaleSet(world: World, set: ScaleSet): Promise<void> {
  const { join } = set;
  const customData = "customData" in join ? join.customData : await joinData(world, set, join.tokenTtlMs);
  await armOk(world, { method: "PUT", path: scaleSetId(set.name), body: bodyOf(set, customData) });
}

/** Sets the capacity of a scale set. */
export async function resize(world: World, name: string, capacity: number): Promise<void> {
  await armOk(world, { method: "PATCH", path: scaleSetId(name), body: { sku: { capacity } } });
}

function bodyOf(set: ScaleSet, customData: string): object {
  const { name, instances: capacity, size, version, zones, spot } = set;
  const image = `${GALLERY}/Images/capi-ubun2-2404/Versions/${version.replace(/^v/, "")}`;
  const ipConfigurations = [{ name: "ip", properties: { subnet: { id: `${NETWORK}/subnets/machines` } } }];
  return {
    location: SCENARIO_LOCATION,
    ...(zones.length > 0 && { zones }),
    sku: { name: size, capacity },
    properties: {
      overprovision: false,
      upgradePolicy: { mode: "Manual" },
      virtualMachineProfile: {
        ...(spot && { priority: "Spot", evictionPolicy: "Delete" }),
        osProfile: {
          computerNamePrefix: name,
          adminUsername: "capi",
          customData: Buffer.from(customData).toString("base64"),
        },
        storageProfile: { imageReference: { communityGalleryImageId: image } },
        networkProfile: {
          networkInterfaceConfigurations: [{ name: "nic", properties: { primary: true, ipConfigurations } }],
        },
      },
    },
  };
}

/** Creates a token in the workload cluster; returns the cloud-init that uses it. */
async function joinData(world: World, { name, cluster }: ScaleSet, tokenTtlMs: number): Promise<string> {
  const workload = world.workload(cluster);
  const { spec } = await world.run(world.user.get(Cluster, { name: cluster, namespace: "default" }));
  const { host = "", port = 0 } = spec?.controlPlaneEndpoint ?? {};
  if (!workload || host === "") throw new StepError(`cluster ${cluster} has no control plane to join`);
  const rng = createRng(world.seed, `token/${name}`);
  const id = `${nameSuffix(rng)}0`;
  const secret = `${nameSuffix(rng)}${nameSuffix(rng)}${nameSuffix(rng)}0`;
  await world.run(
    workload.create(Secret, {
      metadata: { name: `bootstrap-token-${id}`, namespace: "kube-system" },
      type: "bootstrap.kubernetes.io/token",
      stringData: {
        "token-id": id,
        "token-secret": secret,
        expiration: new Date(world.scheduler.wallMs + tokenTtlMs).toISOString(),
        "usage-bootstrap-authentication": "true",
      },
    }),
  );
  const command = `kubeadm join ${host}:${port} --token ${id}.${secret} --discovery-token-unsafe-skip-ca-verification`;
  return `#cloud-config\nruncmd:\n- ${command}\n`;
}
