import { type Condition, Machine, MachineSet } from "@capstan/api";
import type { Fate } from "@capstan/env";
import { createProofWorld, machineSet, type ProofWorld } from "./proof-world.ts";

/** A crash of the manager at its n-th write: before the server receives it, or after it was executed. */
export interface Crash {
  readonly write: number;
  readonly fate: "crashBefore" | "crashAfter";
}

/** The result of a run: a state after each step of the story, without names and times that differ between runs. */
export interface Story {
  readonly states: readonly unknown[];
  readonly writes: number;
  /** Whether the requested crash happened. */
  readonly crashed: boolean;
}

const STEPS = [3, 1, 2] as const;
const MINUTE_MS = 60_000;
const RESTART_MS = 3_000;

/** Create, scale down, scale up, delete: the life of a MachineSet, with at most one crash in it. */
export async function runStory(seed: string, crash?: Crash): Promise<Story> {
  let writes = 0;
  let crashed = false;
  const fateOfWrite = (): Fate => {
    const isDue = crash !== undefined && writes === crash.write;
    writes++;
    if (!isDue) return "deliver";
    crashed = true;
    return crash.fate;
  };
  const proof = createProofWorld({ seed, fateOfWrite });
  proof.world.start();
  const states: unknown[] = [];
  for (const replicas of STEPS) {
    await proof.world.apply(MachineSet, machineSet("fleet", replicas));
    await settle(proof);
    states.push(await stateOf(proof));
  }
  await proof.world.run(proof.world.client.delete(MachineSet, { name: "fleet", namespace: "default" }));
  await settle(proof);
  states.push(await stateOf(proof));
  return { states, writes, crashed };
}

/** All possible single crashes of a story. */
export function crashesOf({ writes }: Story): Crash[] {
  return Array.from({ length: writes }, (_, write) => [
    { write, fate: "crashBefore" as const },
    { write, fate: "crashAfter" as const },
  ]).flat();
}

async function settle({ world }: ProofWorld): Promise<void> {
  await world.settle();
  if (world.manager.crashed) {
    await world.scheduler.advance(RESTART_MS);
    world.start();
    await world.settle();
  }
  const before = world.writes.length;
  await world.scheduler.advance(15 * MINUTE_MS);
  if (world.writes.length > before && !world.manager.crashed) {
    throw new Error(`writes after everything had settled: ${world.writes.slice(before).join("; ")}`);
  }
}

async function stateOf({ world, depot }: ProofWorld): Promise<unknown> {
  const machines = await world.run(world.client.list(Machine));
  const set = await world.run(world.client.find(MachineSet, { name: "fleet", namespace: "default" }));
  const { conditions, deprecated, ...status } = set?.status ?? {};
  const lists: readonly (readonly Readonly<Condition>[])[] = [
    conditions ?? [],
    deprecated?.v1beta1?.conditions ?? [],
  ];
  return {
    machines: machines.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set?.metadata.uid),
    finalizers: set?.metadata.finalizers,
    status: set && {
      ...status,
      conditions: lists.map((list) => list.map(({ lastTransitionTime, ...rest }) => rest)),
    },
    slots: depot.slots.size,
    reservations: [...depot.begun.values()],
  };
}
