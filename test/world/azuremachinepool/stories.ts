/** Stories of small pools, for crashes at any write and for storms. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  DELETE_MACHINE_ANNOTATION,
  type Frozen,
  isJsonObject,
  type Kind,
  MachinePool,
  Node,
  Pod,
} from "@capstan/api";
import { PodDisruptionBudget } from "@capstan/apiserver";
import {
  BOOTSTRAP_EXPIRES,
  FRESH_BOOTSTRAP_ANSWER,
  FRESH_BOOTSTRAP_REQUEST,
} from "../../../packages/manager/src/bootstrap/fresh-bootstrap.ts";
import {
  type Controllers,
  endStateOf,
  MACHINE_POOL_INVARIANTS,
  type Rehearsal,
  type World,
  type WorldOptions,
} from "@capstan/sim";
import {
  HASH_FUNCTIONS,
  type HashFunction,
} from "../../../packages/manager/src/reconcilers/azuremachinepool/model/hash.ts";
import { canonicalText } from "../../../packages/azure-sim/src/json.ts";
import { Deployment } from "../../../packages/sim/src/workloads/workload-kinds.ts";
import { MINUTE_MS, NAMESPACE, patch, remove } from "../kit/fleet-world.ts";
import { noContest } from "../kit/no-contest.ts";
import { changedControllers, poolControllers } from "../kit/pool-controllers.ts";
import {
  CLUSTER,
  createPool,
  MARK,
  NEW_VERSION,
  OLD_VERSION,
  plantCluster,
  type PoolOptions,
} from "../kit/pool-world.ts";

/** The pool of the story. */
export const POOL = "mp";

/** One story: the initial pool, the events, and the final state. */
export interface Story {
  readonly pool?: PoolOptions;
  /** Whether pods run on the machines, with a budget that allows one disruption at a time. */
  readonly hasPods?: boolean;
  /** How many disruptions that budget allows, if not one. */
  readonly mayGo?: number;
  /** Other pools of one machine each, which the story must not affect. */
  readonly neighbours?: readonly string[];
  readonly act: (world: World) => Promise<void>;
  /** The final number of machines, and their version. */
  readonly machines: number;
  readonly version?: string;
  readonly controllers?: Controllers;
}

const VERSION = { spec: { template: { spec: { version: NEW_VERSION } } } };
const IN_PLACE = { maxUnavailable: 1, maxSurge: 0, instanceUpdate: "InPlace" } as const;
const replicas = (count: number) => (world: World) =>
  patch(world, MachinePool, POOL, { spec: { replicas: count } });
const upgrade = (world: World): Promise<void> => patch(world, MachinePool, POOL, VERSION);

function backwards(hash: string): string {
  return hash.split("").toReversed().join("");
}

/** A later release with another hash function. */
const NEWER: readonly HashFunction[] = [
  ...HASH_FUNCTIONS,
  ...HASH_FUNCTIONS.map(({ hash }) => ({
    version: "v2",
    hash: (facts: Parameters<HashFunction["hash"]>[0]) => backwards(hash(facts)),
  })),
];

/** A restart continues with the later release. */
const upgraded: Controllers = (connections) =>
  changedControllers(connections, connections.start === 1 ? {} : { hashFunctions: NEWER });

/** The stories by name. */
export const STORIES: Readonly<Record<string, Story>> = {
  create: { act: () => Promise.resolve(), machines: 2 },
  "scale up": { act: replicas(3), machines: 3 },
  "scale down": { pool: { replicas: 3 }, act: replicas(1), machines: 1 },
  "roll by Replace": { hasPods: true, act: upgrade, machines: 2, version: NEW_VERSION },
  "roll InPlace": {
    pool: { strategy: IN_PLACE },
    hasPods: true,
    act: upgrade,
    machines: 2,
    version: NEW_VERSION,
  },
  "delete one machine": { act: removeOne, machines: 2 },
  "delete the pool": { act: (world) => remove(world, MachinePool, POOL), machines: 0 },
  "become a newer Capstan in mid-rollout": {
    act: async (world) => {
      await upgrade(world);
      await world.until(() => versionsIn(world).includes(NEW_VERSION), CHAPTER_MS);
      world.managers.crash(1, 10_000);
    },
    machines: 2,
    version: NEW_VERSION,
    controllers: upgraded,
  },
};

/**
 * Stories for storms alone: pools that are harder to distinguish, to drain and to count. A crash at each of their writes
 * would find little more than in those above.
 */
export const STORM_STORIES: Readonly<Record<string, Story>> = {
  ...STORIES,
  "roll beside pools with longer names": {
    neighbours: ["mp-1", "mp-10"],
    act: upgrade,
    machines: 2,
    version: NEW_VERSION,
  },
  "roll although a budget lets no pod go": {
    pool: { spec: { nodeDrainTimeout: "2m" } },
    hasPods: true,
    mayGo: 0,
    act: upgrade,
    machines: 2,
    version: NEW_VERSION,
  },
  "roll by percentages": {
    pool: { replicas: 4, strategy: { maxSurge: "25%", maxUnavailable: "25%" } },
    act: upgrade,
    machines: 4,
    version: NEW_VERSION,
  },
  "roll InPlace with one more": {
    pool: { strategy: { maxUnavailable: 0, maxSurge: 1, instanceUpdate: "InPlace" } },
    hasPods: true,
    act: upgrade,
    machines: 2,
    version: NEW_VERSION,
  },
};

/** A user deletes the newest machine; in a storm it may not exist. */
async function removeOne(world: World): Promise<void> {
  const newest = machinesOf(world).at(-1);
  if (newest) await remove(world, AzureMachinePoolMachine, newest.metadata.name);
}

export interface ActingOptions {
  readonly world?: Partial<WorldOptions>;
  /** Called when the pool exists and the story itself starts. */
  readonly begins?: (world: World) => void | Promise<void>;
  /** Called at the end of the story. */
  readonly ends?: (world: World) => Promise<void>;
}

/** A story, for worlds with and without faults. */
export function rehearsalOf(
  name: string,
  seed: string,
  { world: options, begins, ends }: ActingOptions = {},
): Rehearsal {
  const story = STORM_STORIES[name];
  if (!story) throw new Error(`there is no story ${name}`);
  const { pool = {}, controllers = poolControllers } = story;
  return {
    world: {
      seed,
      controllers,
      invariants: [...MACHINE_POOL_INVARIANTS, noContest],
      guests: GUESTS,
      ...options,
    },
    story: async (world) => {
      await plantCluster(world);
      const before = { replicas: 2, ...pool };
      await createPool(world, POOL, before);
      for (const neighbour of story.neighbours ?? []) await createPool(world, neighbour, { replicas: 1 });
      await world.until(() => isThere(world, before.replicas, OLD_VERSION), CHAPTER_MS);
      if (story.hasPods === true) await deploy(world, story.mayGo);
      await begins?.(world);
      await story.act(world);
      await world.until(() => isTold(world, name), CHAPTER_MS);
      await ends?.(world);
    },
    endState: (world) => ({
      state: comparable(endStateOf(world)),
      machines: machinesIn(world),
      made: madeIn(world),
      nodes: nodesIn(world),
    }),
  };
}

// Without faults no step takes a third of it; in a storm the time limit ends it.
const CHAPTER_MS = 25 * MINUTE_MS;

/** Machines that boot quickly, because the boot is not under test. */
const GUESTS = { boot: { p50: 20, p90: 30 } };

/** Runs pods, and a budget for them; two more than machines, so that each machine has some. */
async function deploy(world: World, maxUnavailable = 1): Promise<void> {
  const workload = world.workload(CLUSTER);
  // In a storm there may be no machine to run them on yet; then they are pending.
  if (!workload) throw new Error("the cluster has no API server");
  const labels = { app: "web" };
  const metadata = { name: "web", namespace: NAMESPACE };
  const selector = { matchLabels: labels };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } };
  await world.run(workload.create(PodDisruptionBudget, { metadata, spec: { maxUnavailable, selector } }));
  await world.run(workload.create(Deployment, { metadata, spec: { replicas: 2, selector, template } }));
  await world.until(() => world.truth.census(CLUSTER).podsRunning === 2, CHAPTER_MS);
}

/** All objects of a kind as the management cluster holds them. */
export function listed<T>(world: World, { group, plural }: Kind): Frozen<T>[] {
  return [...world.management.storage.list({ resource: `${group}/${plural}` })] as unknown as Frozen<T>[];
}

/** The machines of the story's pool. */
function machinesOf(world: World): Frozen<AzureMachinePoolMachine>[] {
  return listed<AzureMachinePoolMachine>(world, AzureMachinePoolMachine).filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ name }) => name === POOL),
  );
}

/** The versions of the machines that are Ready. */
function versionsIn(world: World): string[] {
  return machinesOf(world).flatMap(({ metadata, status }) =>
    status?.ready === true && metadata.deletionTimestamp === undefined ? (status.version ?? []) : [],
  );
}

/** Whether a pool has exactly the desired number of Ready machines of a version. */
function isThere(world: World, machines: number, version: string): boolean {
  if (machines === 0) return listed(world, AzureMachinePool).length === 0;
  const all = machinesOf(world);
  const versions = versionsIn(world);
  return all.length === machines && versions.length === machines && versions.every((one) => one === version);
}

/** Whether a story has ended. */
export function isTold(world: World, name: string): boolean {
  const { machines = 0, version = OLD_VERSION } = STORM_STORIES[name] ?? {};
  return isThere(world, machines, version);
}

/** How many machines Azure has. */
export function machinesIn(world: World): number {
  return [...world.azure.core.world.scaleSets.instances.entries()].length;
}

/** How many machines have ever existed: a crash must not create an additional one. */
function madeIn({ trace }: World): number {
  return trace.events.filter(({ happening }) => happening.kind === "machine" && happening.event === "created")
    .length;
}

/** The user-visible fields of the Nodes, and the number of running pods. */
function nodesIn(world: World): unknown {
  const storage = world.truth.workload(CLUSTER);
  const list = <T>({ group, plural }: Kind): Frozen<T>[] =>
    [...(storage?.list({ resource: `${group}/${plural}` }) ?? [])] as unknown as Frozen<T>[];
  const nodes = list<Node>(Node).map(({ metadata, spec, status }) => ({
    labels: { ...metadata.labels, [MARK]: "*", "kubernetes.io/hostname": "*" },
    taints: (spec?.taints ?? []).filter(({ key }) => key !== MARK),
    isCordoned: spec?.unschedulable,
    version: status?.nodeInfo?.kubeletVersion,
    ready: status?.conditions?.find(({ type }) => type === "Ready")?.status,
  }));
  return { nodes, running: world.truth.census(CLUSTER).podsRunning, pods: list(Pod).length };
}

/** Instance ids, expiry times of data and annotations of users may differ between two correct runs. */
function comparable(state: unknown): unknown {
  const text = JSON.stringify(state, (key, value: unknown) => (DIFFERS.has(key) ? undefined : kept(value)))
    // A model that an older release stamped has an older hash.
    .replaceAll(/"v2-([0-9a-f]+)"/g, (_, hash: string) => `"v1-${backwards(hash)}"`)
    // An intermediate model is stored with its token, in case it comes back.
    .replaceAll(": earlier,", ": ")
    .replaceAll(/virtualMachines\/\d+/g, "virtualMachines/*")
    .replaceAll(/"(instanceID|instanceName|name)":"(?:mp[0-9a-z]{6}|[^"]*?[0-9A-Z]+)"/g, '"$1":"*"')
    .replaceAll(/Node \w+/g, "Node *");
  const { objects, ...rest } = JSON.parse(text) as { readonly objects: readonly unknown[] };
  // Names that differ between runs have ordered the objects before.
  return { ...rest, objects: objects.toSorted((a, b) => (canonicalText(a) < canonicalText(b) ? -1 : 1)) };
}

const DIFFERS: ReadonlySet<string> = new Set([
  MARK,
  // A user has annotated a machine that still exists.
  DELETE_MACHINE_ANNOTATION,
  // The first model of an instance; its current one is in the status.
  "capstan.dev/model-hash",
  // The first image of an instance, which an update in place replaces.
  "capstan.dev/image-version",
  BOOTSTRAP_EXPIRES,
  FRESH_BOOTSTRAP_REQUEST,
  FRESH_BOOTSTRAP_ANSWER,
  // A model that was changed and reverted is another one for Azure.
  "latestModelApplied",
  "latest",
  "nextInstanceId",
  "resizedMs",
]);

/** Without fields that have their default: an object that is not paused, or empty annotations. */
function kept(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isJsonObject(item) || item["type"] !== "Paused");
  if (!isJsonObject(value)) return value;
  const { annotations, ...rest } = value;
  const isEmpty = isJsonObject(annotations) && Object.keys(annotations).every((key) => DIFFERS.has(key));
  return annotations === undefined || isEmpty ? rest : value;
}
