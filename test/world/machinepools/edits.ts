/** What users do to a pool in the middle of everything, and how they come back to what they wanted. */
import {
  AzureMachinePool,
  AzureMachinePoolMachine,
  type Kind,
  MachinePool,
  PAUSED_ANNOTATION,
} from "@capstan/api";
import type { Rng } from "@capstan/env";
import { type Client, isNotFound } from "@capstan/runtime";
import type { World, WorldOptions } from "@capstan/sim";
import { annotateSomething } from "../../../packages/sim/src/world/edit.ts";
import { NAMESPACE } from "../fleet/fleet-world.ts";
import { NEW_VERSION, OLD_VERSION } from "./pool-world.ts";
import { listed, POOL, STORIES } from "./stories.ts";

type Edit = NonNullable<WorldOptions["edit"]>;

const PLACE = { name: POOL, namespace: NAMESPACE };
const paused = (value: string | null) => ({ metadata: { annotations: { [PAUSED_ANNOTATION]: value } } });
const sized = (replicas: number) => ({ spec: { replicas } });
const versioned = (version: string) => ({ spec: { template: { spec: { version } } } });
const strategy = (maxSurge: number, maxUnavailable: number) => ({
  spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } },
});

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

function change(kind: Kind, bodyOf: (rng: Rng) => object): Edit {
  return async (user, rng) => {
    const body = bodyOf(rng);
    await user.patch(kind, PLACE, { type: "merge", body });
    return `a user changes ${kind.kind} ${POOL}: ${JSON.stringify(body)}`;
  };
}

/** A user annotates, scales, rolls, pauses, or deletes a machine; what is not there is left alone. */
export const editPool: Edit = (user, rng) => rng.pick(EDITS)(user, rng).catch(unlessGone);

/** The user wants again what the story is about, whatever they did in between. */
export async function wantAgain(world: World, name: string): Promise<void> {
  const { pool = {}, machines = 0, version = OLD_VERSION } = STORIES[name] ?? {};
  const { maxSurge = null, maxUnavailable = null } = pool.strategy ?? {};
  const { user } = world;
  const say = (kind: Kind, body: object): Promise<unknown> =>
    world.run(user.patch(kind, PLACE, { type: "merge", body }).catch(unlessGone));
  if (listed<MachinePool>(world, MachinePool).length === 0) return;
  await say(MachinePool, paused(null));
  if (machines === 0) return;
  await say(MachinePool, { spec: { ...sized(machines).spec, ...versioned(version).spec } });
  await say(AzureMachinePool, { spec: { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } } });
}

/** What is deleted meanwhile needs no change. */
function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
