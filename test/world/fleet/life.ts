import {
  AzureCluster,
  AzureMachinePool,
  Cluster,
  isJsonObject,
  type Kind,
  KubeadmConfig,
  MachinePool,
  Secret,
} from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { BOOTSTRAP_EXPIRES } from "../../../packages/manager/src/bootstrap/fresh-bootstrap.ts";
import { endStateOf, type Rehearsal, type World, type WorldOptions } from "@capstan/sim";
import { idIn } from "../kit/network-world.ts";
import { noContest } from "../kit/no-contest.ts";
import {
  createCluster,
  createIdentity,
  createPool,
  foreignIn,
  get,
  giveAuthority,
  NAMESPACE,
  patch,
  PATIENCE_MS,
  plantForeign,
  remove,
  THEIRS,
} from "../kit/fleet-world.ts";

/** Where the cluster lives: in its own group, in another owner's group, or in another owner's network. */
type Place = "own group" | "their group" | "their network";

/** The end of the story. */
type Chapter = "changed" | "deleted";

/** The variant of the story. */
export interface LifeOptions {
  readonly seed: string;
  readonly place: Place;
  readonly until: Chapter;
  readonly world?: Partial<WorldOptions>;
}

/** The variants that run with a crash at every write. */
export const LIVES: readonly Pick<LifeOptions, "place" | "until">[] = [
  { place: "own group", until: "changed" },
  { place: "own group", until: "deleted" },
  { place: "their group", until: "deleted" },
  { place: "their network", until: "deleted" },
];

const NAME = "demo";
const POOL = "demo-workers";

const theirSubnets = (["control-plane", "node"] as const).map((role, index) => ({
  name: role,
  role,
  cidrBlocks: [`10.${index}.0.0/16`],
  id: idIn(THEIRS, `virtualNetworks/hub/subnets/${role}`),
}));

const SPECS: Readonly<Record<Place, Partial<AzureCluster["spec"]>>> = {
  "own group": {},
  "their group": { resourceGroup: THEIRS },
  "their network": {
    networkSpec: { vnet: { name: "hub", resourceGroup: THEIRS }, subnets: theirSubnets },
  },
};

/** The life of a whole cluster with a pool, run by the product's own controllers. */
export function lifeOf({ seed, place, until, world: options = {} }: LifeOptions): Rehearsal {
  return {
    world: { seed, controllers: simulatedControllers, invariants: [noContest], ...options },
    story: async (world) => {
      await plantForeign(world);
      const before = foreignIn(world);
      await createIdentity(world);
      await createCluster(world, NAME, { ...SPECS[place], additionalTags: { team: "a", old: "x" } });
      await giveAuthority(world, NAME);
      // Without machines, whose numbers would differ; pools have their own stories.
      await createPool(world, NAME, { config: { preKubeadmCommands: ["echo hello"] }, replicas: 0 });
      await world.rest(PATIENCE_MS);
      await changeNetwork(world, place);
      await world.rest(PATIENCE_MS);
      if (until === "deleted") await removeAll(world);
      untouched(world, before);
    },
    endState: (world) => ({
      ...(without(DIFFERS, endStateOf(world)) as object),
      foreign: foreignIn(world),
      bodies: bodiesIn(world),
      tokens: tokensIn(world),
    }),
  };
}

/** A rule is added, a tag is removed and another changed, and a new subnet has its own route table. */
async function changeNetwork(world: World, place: Place): Promise<void> {
  const additionalTags = { old: null, team: "b" };
  const { spec } = await get(world, AzureCluster, NAME);
  const subnets = (spec.networkSpec?.subnets ?? []).map((subnet) => ({
    ...subnet,
    securityGroup: {
      ...subnet.securityGroup,
      securityRules: [...(subnet.securityGroup?.securityRules ?? []), RULE],
    },
  }));
  const networkSpec = { subnets: [...subnets, BATCH] };
  const isTheirs = place === "their network";
  await patch(world, AzureCluster, NAME, { spec: { additionalTags, ...(!isTheirs && { networkSpec }) } });
}

const BATCH = {
  name: "batch",
  role: "node",
  cidrBlocks: ["10.7.0.0/16"],
  routeTable: { name: "batch-routes" },
  securityGroup: { name: "batch-guards" },
};

const RULE = {
  name: "allow_metrics",
  description: "Metrics of the machines",
  direction: "Inbound",
  priority: 2300,
  protocol: "Tcp",
  action: "Allow",
  source: "10.0.0.0/8",
  sourcePorts: "*",
  destination: "*",
  destinationPorts: "9100",
};

async function removeAll(world: World): Promise<void> {
  // Kubernetes deletes a MachinePool that no manager has seen yet at once, and what it refers to stays.
  const pool = { resource: `${MachinePool.group}/${MachinePool.plural}`, name: POOL, namespace: NAMESPACE };
  const isSeen = (): boolean => world.management.storage.get(pool)?.metadata.finalizers !== undefined;
  await world.until(isSeen, PATIENCE_MS);
  await remove(world, Cluster, NAME);
  const key = { resource: `${Cluster.group}/${Cluster.plural}`, name: NAME, namespace: NAMESPACE };
  // While Azure deletes, no controller writes for minutes at a time: that does not mean that the deletion is complete.
  await world.until(() => world.management.storage.get(key) === undefined, PATIENCE_MS);
  await world.rest(PATIENCE_MS);
}

/** The remaining objects that must be deleted with their Cluster. */
export function leftOf({ management }: World): readonly string[] {
  const parts: readonly [Kind, string][] = [
    [Cluster, NAME],
    [AzureCluster, NAME],
    [MachinePool, POOL],
    [AzureMachinePool, POOL],
    [KubeadmConfig, POOL],
    [Secret, POOL],
  ];
  return parts
    .filter(([{ group, plural }, name]) =>
      management.storage.get({ resource: `${group}/${plural}`, name, namespace: "default" }),
    )
    .map(([kind, name]) => `${kind.kind} ${name}`);
}

function untouched(world: World, before: string): void {
  if (foreignIn(world) !== before) throw new Error("a resource of another owner has changed");
}

/** The edits of users in a storm and the expiry of data differ between two correct runs. */
const DIFFERS = new Set(["user.example.com/note", BOOTSTRAP_EXPIRES]);

/** All resources in Azure as last written, without the fields that Azure adds and gets back unchanged. */
function bodiesIn(world: World): unknown {
  const entries = [...world.azure.core.world.resources.table.entries()].map(([key, { body }]) => [key, body]);
  return without(ADDED_BY_AZURE, Object.fromEntries(entries));
}

const ADDED_BY_AZURE = new Set([
  "etag",
  "type",
  "provisioningState",
  "resourceGuid",
  "ipAddress",
  "capstan_wanted-hash",
  // Created for each write of a scale set, with its own token and expiry.
  "customData",
  "capstan_bootstrap",
]);

function without(keys: ReadonlySet<string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => without(keys, item));
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, child]): [string, unknown][] => {
    // A child of a resource has a name and, once Azure has shown it, an id; a reference has only an id.
    const isIdOfPart = key === "id" && "name" in value && keys === ADDED_BY_AZURE;
    const rest = keys.has(key) || isIdOfPart ? undefined : without(keys, child);
    const isEmptied = isJsonObject(rest) && Object.keys(rest).length === 0;
    return rest === undefined || isEmptied ? [] : [[key, rest]];
  });
  return Object.fromEntries(kept);
}

/** How many tokens were created in the workload cluster: a crashed manager must not cause a second one. */
function tokensIn(world: World): number {
  return world.trace.events.filter(
    ({ actor, happening }) =>
      happening.kind === "write" &&
      actor.startsWith("manager") &&
      happening.cluster !== "management" &&
      happening.verb === "create" &&
      happening.resource === Secret.plural &&
      happening.status < 300,
  ).length;
}
