/** An AKS cluster in a world: the manifests of examples/aks, and all controllers of the product. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureClusterIdentity,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type Frozen,
  type Kind,
  type KubernetesObject,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
  parseYaml,
  ResourceGroup,
  Secret,
  VirtualNetwork,
  VirtualNetworksSubnet,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import { simulatedControllers } from "@capstan/cli";
import { isNotFound } from "@capstan/runtime";
import type { Controllers, World, WorldOptions } from "@capstan/sim";
import { NAMESPACE } from "./fleet-world.ts";

/** The name of the cluster in the examples. */
export const NAME = "harbor";
/** The annotation by which a user hands an existing cluster over. */
export const ADOPT = "sigs.k8s.io/cluster-api-provider-azure-adopt";
/** The ARM id of its resource group. */
export const GROUP = `/subscriptions/${DEFAULT_SUBSCRIPTION}/resourceGroups/${NAME}`;
/** The ARM id of the cluster. */
export const CLUSTER_ID = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/${NAME}`;

const HOUR_MS = 3_600_000;
const EXAMPLES = join(import.meta.dirname, "../../../examples");
const KINDS: readonly Kind[] = [
  Secret,
  AzureClusterIdentity,
  Cluster,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
];
const CONTROLLERS: ReadonlySet<string> = new Set([
  "cluster",
  "machinepool",
  "azuremanagedcluster",
  "azuremanagedcontrolplane",
  "azuremanagedmachinepool",
]);

/** The controllers of AKS, and the embedded Azure Service Operator. */
const controllers: Controllers = (connections) =>
  simulatedControllers(connections).filter(({ name }) => CONTROLLERS.has(name) || name.startsWith("aso-"));

/** The options of a world with AKS. */
export const WORLD: Omit<WorldOptions, "faults"> = {
  seed: "1",
  controllers,
  yieldTo: [AzureManagedControlPlane],
  guests: { boot: { p50: 20, p90: 30 } },
};

/** Objects of the examples, by file. */
export function examples(...files: readonly string[]): readonly KubernetesObject[] {
  return files.flatMap((file) => objectsIn(join("aks", file)));
}

/** All objects of another folder of the examples, in the order of kubectl. */
export function manifestsIn(folder: string): readonly KubernetesObject[] {
  const files = readdirSync(join(EXAMPLES, folder)).filter((name) => name.endsWith(".yaml"));
  return files.toSorted().flatMap((file) => objectsIn(join(folder, file)));
}

function objectsIn(file: string): readonly KubernetesObject[] {
  return readFileSync(join(EXAMPLES, file), "utf8")
    .split(/^---$/m)
    .map((part) => parseYaml(part) as KubernetesObject);
}

/** Creates objects of any of the kinds of AKS. */
export async function createAll(world: World, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) await world.run(world.user.create(kindOf(object), object));
}

/** Deletes objects of any of the kinds of AKS, and ignores those that the garbage collector has deleted. */
async function deleteAll(world: World, objects: readonly KubernetesObject[]): Promise<void> {
  for (const object of objects) {
    try {
      await world.run(world.user.delete(kindOf(object), object.metadata));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function kindOf({ apiVersion, kind: name }: KubernetesObject): Kind {
  const kind = KINDS.find((one) => one.kind === name);
  if (!kind) throw new Error(`no kind for ${name}`);
  return { ...kind, version: apiVersion.split("/").at(-1) ?? "", apiVersion };
}

/** Creates in Azure what the manifests of examples/aks-adopt describe, and leaves no object of it. */
export async function createExisting(world: World): Promise<void> {
  const objects = manifestsIn("aks-adopt/existing");
  await createAll(world, objects);
  await world.rest(HOUR_MS);
  await deleteAll(world, objects);
  await world.rest(HOUR_MS);
}

/** Creates the cluster of the examples. */
export async function createCluster(
  world: World,
  change: (object: KubernetesObject) => void = () => undefined,
): Promise<void> {
  const objects = examples("identity.yaml", "cluster.yaml", "pools.yaml");
  for (const object of objects) change(object);
  await createAll(world, objects);
}

/** The ARM id of an AKS cluster whose resource group has its name. */
export function clusterId(name: string): string {
  return CLUSTER_ID.replaceAll(NAME, name);
}

/** Changes the control plane, as a user. */
export async function changeControlPlane(world: World, spec: object): Promise<void> {
  const name = { name: NAME, namespace: NAMESPACE };
  await world.run(world.user.patch(AzureManagedControlPlane, name, { type: "merge", body: { spec } }));
}

/** The resource in the simulated Azure, as a reader sees it. */
export async function inAzure(world: World, id = CLUSTER_ID): Promise<Frozen<Azured> | undefined> {
  const answer = await world.arm("GET", `${id}?api-version=2025-08-01`);
  return answer.status === 200 ? ((await answer.json()) as Frozen<Azured>) : undefined;
}

interface Azured {
  tags?: Record<string, string>;
  properties: Record<string, unknown>;
}
