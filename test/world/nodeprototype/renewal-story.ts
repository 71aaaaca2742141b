/** The story of one renewal and a scale-out after it, for crashes at any write and for storms. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  type Frozen,
  Node,
  PROTOTYPE_NOW_ANNOTATION,
} from "@capstan/api";
import type { Rehearsal, World, WorldOptions } from "@capstan/sim";
import { MINUTE_MS, patch } from "../kit/fleet-world.ts";
import { CLUSTER, plantCluster } from "../kit/pool-world.ts";
import { listed } from "../azuremachinepool/stories.ts";
import {
  createPrototypePool,
  diskOf,
  INVARIANTS,
  leftovers,
  POOL,
  prototypeControllers,
  resourcesOf,
  scaleTo,
  stored,
} from "../kit/prototype-world.ts";

/** Callbacks at points of the story. */
export interface StoryOptions {
  readonly world?: Partial<WorldOptions>;
  /** The pool has its machines, and the renewal is asked for next. */
  readonly begins?: (world: World) => void | Promise<void>;
  /** The renewal and the scale-out are over. */
  readonly ends?: (world: World) => void;
}

const GUESTS = { boot: { p50: 20, p90: 30 } };
// Azure's slowest version takes hours; a story waits that long.
const PATIENCE_MS = 8 * 60 * MINUTE_MS;

/** A pool of two is renewed, then scaled to three. */
export function renewalStory(seed: string, { world: options, begins, ends }: StoryOptions = {}): Rehearsal {
  return {
    world: { seed, controllers: prototypeControllers(), invariants: INVARIANTS, guests: GUESTS, ...options },
    story: async (world) => {
      await plantCluster(world);
      // The interval is long, so that no second renewal begins by itself.
      await createPrototypePool(world, { replicas: 2, interval: "8000h" });
      await world.until(() => readyCount(world) === 2 && isCalm(world), PATIENCE_MS);
      diskOf(world, 0).write("/etc/patch", "1.2.3");
      await begins?.(world);
      await patch(world, AzureMachinePool, POOL, {
        metadata: { annotations: { [PROTOTYPE_NOW_ANNOTATION]: "1" } },
      });
      await world.until(() => isRenewed(world), PATIENCE_MS);
      await scaleTo(world, 3);
      await world.until(() => readyCount(world) === 3, PATIENCE_MS);
      ends?.(world);
    },
    endState: endOf,
  };
}

/** The number of machines that are ready. */
function readyCount(world: World): number {
  return listed<AzureMachinePoolMachine>(world, AzureMachinePoolMachine).filter(
    ({ status }) => status?.ready === true,
  ).length;
}

/** Whether the pool controller has nothing to do. */
function isCalm(world: World): boolean {
  const { status } = stored(world) ?? {};
  return status?.operation === undefined && status?.nodePrototyping !== undefined;
}

function isRenewed(world: World): boolean {
  const { status } = stored(world) ?? {};
  return status?.lastImagePrototype !== undefined && status.nodePrototyping?.phase === "Idle";
}

/** What users see at the end: without times and names that differ between good runs. */
function endOf(world: World): unknown {
  const { nodePrototyping: record, image } = stored(world)?.status ?? {};
  return {
    phase: record?.phase,
    history: record?.history?.map(({ state, donor }) => ({ state, donor })),
    isBootedFrom: image?.id === record?.bootImage?.id,
    leftovers: leftovers(world),
    versions: resourcesOf(world, "galleries/images/versions").length,
    machines: listed<AzureMachinePoolMachine>(world, AzureMachinePoolMachine).map(({ metadata, status }) => ({
      ...namesOn(metadata),
      ready: status?.ready,
    })),
    nodes: nodesIn(world).map(({ metadata, spec }) => ({
      ...namesOn(metadata),
      isCordoned: spec?.unschedulable === true,
    })),
    patches: [0, 1, 2].map((instance) => diskOf(world, instance).read("/etc/patch")),
  };
}

/** The name of an object, and those of its annotations. */
function namesOn({ name, annotations = {} }: Frozen<Node>["metadata"]): object {
  return { name, annotations: Object.keys(annotations).sort() };
}

/** The Nodes of the workload cluster, without a request. */
export function nodesIn(world: World): readonly Frozen<Node>[] {
  const resource = `${Node.group}/${Node.plural}`;
  return [...(world.truth.workload(CLUSTER)?.list({ resource }) ?? [])];
}
