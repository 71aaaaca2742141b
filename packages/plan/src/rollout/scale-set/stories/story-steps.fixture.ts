/** The input language of a story: what users, Azure and failures do to a pool, one short line each. */
import { type SimMachine, type SimPool, type SimWorld, addInstances } from "./pool-world.fixture.ts";

type Deed = (world: SimWorld, words: readonly string[]) => void;

const DEEDS: Readonly<Record<string, Deed>> = {
  // create POOL REPLICAS SURGE/UNAVAILABLE [InPlace] [Newest|Random] [external]
  create: (world, [name = "", replicas = "", strategy = "", ...options]) => {
    const [maxSurge, maxUnavailable] = strategyOf(strategy);
    world.pools.push({
      name,
      spec: {
        desired: Number(replicas),
        maxSurge,
        maxUnavailable,
        deletePolicy: options.includes("Newest")
          ? "Newest"
          : options.includes("Random")
            ? "Random"
            : "Oldest",
        instanceUpdate: options.includes("InPlace") ? "InPlace" : "Replace",
        hash: "A",
        isExternallyScaled: options.includes("external"),
        isPaused: false,
      },
      setHash: undefined,
      capacity: 0,
      operation: undefined,
      nextInstance: 0,
      guard: undefined,
      allowedRemovals: undefined,
      isListBlind: false,
    });
  },
  image: (world, [hash = "", name]) => (poolOf(world, name).spec.hash = hash),
  replicas: (world, [count, name]) => (poolOf(world, name).spec.desired = Number(count)),
  strategy: (world, [strategy = ""]) => {
    const { spec } = poolOf(world);
    [spec.maxSurge, spec.maxUnavailable] = strategyOf(strategy);
  },
  pause: (world) => (poolOf(world).spec.isPaused = true),
  resume: (world) => (poolOf(world).spec.isPaused = false),
  // The autoscaler changes the capacity itself, and Azure creates the instances.
  autoscale: (world, [count]) => {
    const pool = poolOf(world);
    addInstances(world, pool, Number(count) - pool.capacity);
    pool.spec.desired = pool.capacity = Number(count);
  },
  "never-ready": (world, [hash = ""]) => world.neverReady.add(hash),
  failing: (world, [hash = ""]) => world.failing.add(hash),
  unready: (world, names) => each(world, names, (machine) => (machine.isReady = false)),
  fail: (world, names) =>
    each(world, names, (machine) => {
      machine.vmState = "Failed";
      machine.isReady = false;
    }),
  // Azure reports an instance as Failed, for example after an extension failed, while its Node works.
  "fail-ready": (world, names) => each(world, names, (machine) => (machine.vmState = "Failed")),
  stop: (world, names) =>
    each(world, names, (machine) => {
      machine.vmState = "Stopped";
      machine.isReady = false;
    }),
  evict: (world, names) =>
    each(world, names, (machine) => {
      machine.vmState = "Gone";
      machine.isReady = false;
      poolOf(world, machine.pool).capacity--;
    }),
  delete: (world, names) =>
    each(world, names, (machine) => {
      machine.isDeleting = true;
      machine.deletedByUser = machine.picked !== "delete";
    }),
  mark: (world, names) => each(world, names, (machine) => (machine.isMarked = true)),
  "lose-resource": (world, names) => each(world, names, (machine) => (machine.name = undefined)),
  blind: (world) => (poolOf(world).isListBlind = true),
  see: (world) => (poolOf(world).isListBlind = false),
  allow: (world, [count]) => (poolOf(world).allowedRemovals = Number(count)),
  unreachable: (world) => (world.isReachable = false),
  reachable: (world) => (world.isReachable = true),
};

/** One step of a story and the number of moves before it; undefined means that it waits until no move is left. */
export interface StoryStep {
  readonly text: string;
  readonly after: number | undefined;
  readonly happen: (world: SimWorld) => void;
}

/** Parses `create mp 3 1/0; image B; +2 replicas 5`: a step waits for quiet, or with `+2` only for two moves. */
export function readStory(line: string): readonly StoryStep[] {
  return line.split(";").map((part) => {
    const [, moves, verb = "", rest = ""] = /^\s*(?:\+(\d+) )?(\S+) ?(.*)$/.exec(part) ?? [];
    const deed = DEEDS[verb];
    if (deed === undefined)
      throw new Error(`${part}: unknown verb; known verbs are ${Object.keys(DEEDS).join(", ")}`);
    return {
      text: `${verb} ${rest}`.trim(),
      after: moves === undefined ? undefined : Number(moves),
      happen: (world) => deed(world, rest.split(" ").filter(Boolean)),
    };
  });
}

function strategyOf(text: string): readonly [number | string, number | string] {
  const [surge = "", unavailable = ""] = text.split("/");
  const value = (limit: string): number | string => (limit.endsWith("%") ? limit : Number(limit));
  return [value(surge), value(unavailable)];
}

function poolOf(world: SimWorld, name?: string): SimPool {
  const pool = world.pools.find((candidate) => name === undefined || candidate.name === name);
  if (pool === undefined) throw new Error(`no pool ${name ?? ""} in this story`);
  return pool;
}

function each(world: SimWorld, names: readonly string[], deed: (machine: SimMachine) => void): void {
  for (const machine of world.machines) {
    // In another order of events the machine may already be deleting; then the step has no effect.
    const isGoing = machine.vmState === "Deleting" || machine.vmState === "Gone";
    if (!isGoing && machine.name !== undefined && names.includes(machine.name)) deed(machine);
  }
}
