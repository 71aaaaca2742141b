/** Edits of users at random moments, and how they restore the desired state. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  DELETE_MACHINE_ANNOTATION,
  type Kind,
  MachinePool,
  PAUSED_ANNOTATION,
} from "@capstan/api";
import type { Rng } from "@capstan/env";
import { type Client, isNotFound } from "@capstan/runtime";
import type { World, WorldOptions } from "@capstan/sim";
import { annotateSomething } from "../../../packages/sim/src/world/edit.ts";
import { NAMESPACE } from "../kit/fleet-world.ts";
import { MARK, NEW_VERSION, OLD_VERSION, type PoolOptions } from "../kit/pool-world.ts";
import { listed, POOL, STORM_STORIES } from "./stories.ts";

type Edit = NonNullable<WorldOptions["edit"]>;

const PLACE = { name: POOL, namespace: NAMESPACE };
const paused = (value: string | null) => ({ metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
const sized = (replicas: number) => ({ spec: { replicas } });
const versioned = (version: string) => ({ spec: { template: { spec: { version } } } });
const strategy = (maxSurge: number, maxUnavailable: number) => ({
  spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
});

const updated = (instanceUpdate: string) => ({ spec: { strategy: { rollingUpdate: { instanceUpdate } } } });
const imaged = (version: string | undefined) => {
  const gallery = "ClusterAPI-f72ceb4f-5159-4c26-a0fe-2ea738f0d019";
  const image =
    version === undefined ? null : { computeGallery: { gallery, name: "capi-ubun2-2404", version } };
  return { spec: { template: { image } } };
};

const EDITS: readonly ((user: Client, rng: Rng) => Promise<string | undefined>)[] = [
  annotateSomething,
  change(MachinePool, (rng) => sized(1 + rng.below(3))),
  change(MachinePool, (rng) => versioned(rng.pick([OLD_VERSION, NEW_VERSION]))),
  change(MachinePool, (rng) => paused(rng.pick(["", null]))),
  change(AzureMachinePool, (rng) => strategy(rng.below(3), 1 + rng.below(2))),
  async (user, rng) => {
    const machines = await user.list(AzureMachinePoolMachine, { namespace: NAMESPACE });
    if (machines.length === 0) return undefined;
    const { name } = rng.pick(machines).metadata;
    await user.delete(AzureMachinePoolMachine, { name, namespace: NAMESPACE });
    return `a user deletes machine ${name}`;
  },
];

const labelled = (value: string | null) => ({ metadata: { labels: { [MARK]: value } } });

/** Additional edits that are rare in the middle of a rollout. */
const MORE_EDITS: typeof EDITS = [
  ...EDITS,
  change(AzureMachinePool, (rng) => updated(rng.pick(["Replace", "InPlace"]))),
  change(AzureMachinePool, (rng) =>
    imaged(rng.pick([OLD_VERSION.slice(1), NEW_VERSION.slice(1), undefined])),
  ),
  change(MachinePool, (rng) => labelled(rng.pick(["a", "b", null]))),
  change(AzureMachinePool, (rng) => labelled(rng.pick(["a", "b", null]))),
  async (user, rng) => {
    const machines = await user.list(AzureMachinePoolMachine, { namespace: NAMESPACE });
    if (machines.length === 0) return undefined;
    const { name } = rng.pick(machines).metadata;
    const body = { metadata: { annotations: { [DELETE_MACHINE_ANNOTATION]: rng.pick(["", null]) } } };
    await user.patch(AzureMachinePoolMachine, { name, namespace: NAMESPACE }, { type: "merge", body });
    return `a user marks machine ${name} as the next to go, or does so no more`;
  },
];

function change(kind: Kind, bodyOf: (rng: Rng) => object): Edit {
  return async (user, rng) => {
    const body = bodyOf(rng);
    await user.patch(kind, PLACE, { type: "merge", body });
    return `a user changes ${kind.kind} ${POOL}: ${JSON.stringify(body)}`;
  };
}

/** A user annotates, scales, rolls, pauses, or deletes a machine; missing objects are skipped. */
export const editPool: Edit = (user, rng) => rng.pick(EDITS)(user, rng).catch(unlessGone);

/** The same, and more: changes image, labels or the update strategy, or annotates a machine for deletion. */
export const editMore: Edit = (user, rng) => rng.pick(MORE_EDITS)(user, rng).catch(unlessGone);

/** The user restores the desired state of the story after all edits. */
export async function wantAgain(world: World, name: string): Promise<void> {
  const { pool = {}, machines = 0, version = OLD_VERSION } = STORM_STORIES[name] ?? {};
  const { user } = world;
  const say = (kind: Kind, body: object): Promise<unknown> =>
    world.run(user.patch(kind, PLACE, { type: "merge", body }).catch(unlessGone));
  if (listed<MachinePool>(world, MachinePool).length === 0) return;
  await say(MachinePool, paused(null));
  if (machines === 0) return;
  await say(MachinePool, { spec: { ...sized(machines).spec, ...versioned(version).spec } });
  await say(AzureMachinePool, { spec: { ...imaged(undefined).spec, ...rolledBy(pool.strategy).spec } });
}

/** Unset fields of a strategy have their defaults. */
function rolledBy({ maxSurge, maxUnavailable, instanceUpdate }: NonNullable<PoolOptions["strategy"]> = {}) {
  const rollingUpdate = {
    maxSurge: maxSurge ?? null,
    maxUnavailable: maxUnavailable ?? null,
    instanceUpdate: instanceUpdate ?? null,
  };
  return { spec: { strategy: { rollingUpdate } } };
}

/** An object that was deleted meanwhile needs no change. */
function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
