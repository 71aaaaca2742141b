import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  Cluster,
  type Frozen,
  inStoredVersion,
  type JsonObject,
  type Kind,
  KubeadmConfig,
  type KubernetesObject,
  MachinePool,
  parseYaml,
  Secret,
} from "@capstan/api";
import { azureMachinePool, kubeadmConfig, machinePool } from "@capstan/runtime/testing/builders";
import type { World } from "@capstan/sim";
import { RSA_AUTHORITY } from "../../../packages/manager/src/bootstrap/authority.fixture.ts";
import { bodyOf, idIn, LOCATION, portal } from "./network-world.ts";

export const NAMESPACE = "default";
export const MINUTE_MS = 60_000;
/** The longest time that a story waits for one of its steps, also in a storm. */
export const PATIENCE_MS = 25 * MINUTE_MS;
/** The resource group and the network of another owner. */
export const THEIRS = "theirs";

const EXAMPLES = join(import.meta.dirname, "../../../examples/cluster");
const KINDS: readonly Kind[] = [Secret, AzureClusterIdentity, Cluster, AzureCluster];

/** The objects of an example, in the versions that are stored. */
function exampleIn(file: string): readonly KubernetesObject[] {
  const text = readFileSync(join(EXAMPLES, file), "utf8");
  return text.split(/^---$/m).map((part) => {
    const object = parseYaml(part) as JsonObject;
    return (inStoredVersion(object)?.object ?? object) as unknown as KubernetesObject;
  });
}

/** Creates the identity of the examples. */
export async function createIdentity(world: World, secret?: string): Promise<void> {
  for (const object of exampleIn("identity.yaml")) {
    const stringData = { clientSecret: secret };
    const isSecret = object.kind === Secret.kind && secret !== undefined;
    await create(world, isSecret ? Object.assign(object, { stringData }) : object);
  }
}

/** Creates the Cluster and the AzureCluster of the examples, optionally with another name and network. */
export async function createCluster(
  world: World,
  name: string,
  spec: Partial<AzureCluster["spec"]> = {},
): Promise<void> {
  await createClusterWith(world, name, { [AzureCluster.kind]: spec });
}

/** The same with other fields in the spec of each kind. */
export async function createClusterWith(
  world: World,
  name: string,
  specs: { readonly AzureCluster?: Partial<AzureCluster["spec"]>; readonly Cluster?: Cluster["spec"] },
): Promise<void> {
  for (const object of exampleIn("cluster.yaml")) {
    const renamed = JSON.parse(JSON.stringify(object).replaceAll(/"demo(-vnet)?"/g, `"${name}$1"`)) as {
      spec: object;
    } & KubernetesObject;
    const more = object.kind === AzureCluster.kind ? specs.AzureCluster : specs.Cluster;
    await create(world, Object.assign(renamed, { spec: { ...renamed.spec, ...more } }));
  }
}

async function create(world: World, object: KubernetesObject): Promise<void> {
  const kind = KINDS.find((one) => one.kind === object.kind);
  if (!kind) throw new Error(`no kind for ${object.kind}`);
  await world.run(world.user.create(kind, object));
}

/** Gives a Cluster the certificate authority that its machines pin; the simulated control planes have none. */
export async function giveAuthority(world: World, clusterName: string): Promise<void> {
  const data = { "tls.crt": Buffer.from(RSA_AUTHORITY.pem).toString("base64") };
  await world.run(
    world.user.create(Secret, { metadata: { name: `${clusterName}-ca`, namespace: NAMESPACE }, data }),
  );
}

/** A version that simulated Azure has an image of. */
const VERSION = "v1.34.1";

/** The fields of a pool that differ from the defaults. */
interface PoolOptions {
  readonly name?: string;
  readonly config?: KubeadmConfig["spec"];
  readonly replicas?: number;
}

/** Creates a pool of workers. */
export async function createPool(
  world: World,
  clusterName: string,
  { name = `${clusterName}-workers`, config = {}, replicas = 1 }: PoolOptions = {},
): Promise<void> {
  const reference = (kind: Kind) => ({ apiGroup: kind.group, kind: kind.kind, name });
  const template = {
    spec: {
      clusterName,
      version: VERSION,
      bootstrap: { configRef: reference(KubeadmConfig) },
      infrastructureRef: reference(AzureMachinePool),
    },
  };
  const { user } = world;
  await world.run(
    user.create(MachinePool, machinePool({ metadata: { name }, spec: { clusterName, replicas, template } })),
  );
  await world.run(user.create(KubeadmConfig, kubeadmConfig({ metadata: { name }, spec: config })));
  await world.run(user.create(AzureMachinePool, azureMachinePool({ metadata: { name } })));
}

/** An object as the user sees it; undefined when it does not exist. */
export function find<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  name: string,
): Promise<Frozen<T> | undefined> {
  return world.run(world.user.find(kind, { name, namespace: NAMESPACE }));
}

/** An object that must exist. */
export function get<T extends KubernetesObject>(
  world: World,
  kind: Kind<T>,
  name: string,
): Promise<Frozen<T>> {
  return world.run(world.user.get(kind, { name, namespace: NAMESPACE }));
}

/** Changes an object as the user does. */
export async function patch(world: World, kind: Kind, name: string, body: object): Promise<void> {
  await world.run(world.user.patch(kind, { name, namespace: NAMESPACE }, { type: "merge", body }));
}

/** Deletes an object as the user does. */
export function remove(world: World, kind: Kind, name: string): Promise<void> {
  return world.run(world.user.delete(kind, { name, namespace: NAMESPACE }));
}

const THEIR_RESOURCES = ["", "networkSecurityGroups/guards", "publicIPAddresses/door", "virtualNetworks/hub"];

/** Another owner has a group with a network, an address and a security group, from before the test. */
export async function plantForeign(world: World): Promise<void> {
  const tags = { owner: "another-owner", [`sigs.k8s.io_cluster-api-provider-azure_cluster_demo1`]: "shared" };
  const put = (path: string, body: object): Promise<void> =>
    portal(world, "PUT", idIn(THEIRS, path), { location: LOCATION, tags, ...body });
  await put("", {});
  await put("networkSecurityGroups/guards", {});
  await put("publicIPAddresses/door", {
    sku: { name: "Standard" },
    properties: { publicIPAllocationMethod: "Static" },
  });
  await put("virtualNetworks/hub", {
    properties: {
      addressSpace: { addressPrefixes: ["10.0.0.0/8"] },
      subnets: ["control-plane", "node", "databases"].map((name, index) => ({
        name,
        properties: { addressPrefix: `10.${index}.0.0/16` },
      })),
    },
  });
}

/** All resources of the other owner, byte for byte. */
export function foreignIn(world: World): string {
  return JSON.stringify(THEIR_RESOURCES.map((path) => bodyOf(world, idIn(THEIRS, path))));
}
