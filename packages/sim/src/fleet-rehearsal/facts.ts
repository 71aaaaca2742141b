import type { EvictionRecord, GroupRecord, MachineHistory, RunRecord } from "./record.ts";

/** What became of a machine that existed before the change. */
type Fate = "replaced" | "updated in place" | "removed" | "untouched";

/** A machine in the answer. */
export interface MachineOutcome {
  readonly name: string;
  readonly fate: Fate | "new";
  /** Times at which it could do work, from the change on. */
  readonly available: readonly (readonly [fromMs: number, toMs: number])[];
  readonly createdMs: number;
  readonly goneMs?: number;
}

/** How many machines of a group could do work, from a moment on. */
type Level = readonly [atMs: number, available: number];

/** One group in one run. */
export interface GroupFacts {
  readonly key: string;
  readonly replaced: number;
  readonly inPlace: number;
  readonly removed: number;
  readonly untouched: number;
  readonly added: number;
  readonly waves: number;
  /** From the change to the last change of one of its machines; 0 without any. */
  readonly durationMs: number;
  readonly lowest: { readonly available: number; readonly of: number; readonly atMs: number };
  /** The fewest that its own strategy allows; undefined where another program decides. */
  readonly floor?: number;
  readonly levels: readonly Level[];
  readonly machines: readonly MachineOutcome[];
}

/** How a disruption budget held evictions up. */
export interface BudgetFacts {
  /** `CLUSTER NAMESPACE/NAME`. */
  readonly budget: string;
  /** The longest time that it held one pod up. */
  readonly heldMs: number;
  readonly pods: number;
  /** `waited`: all pods were evicted in the end. `overridden`: a drain timed out. `blocks`: a pod still runs at the end. */
  readonly outcome: "waited" | "overridden" | "blocks";
}

/** What one run shows. */
export interface FleetFacts {
  readonly seed: string;
  readonly durationMs: number;
  readonly groups: readonly GroupFacts[];
  readonly budgets: readonly BudgetFacts[];
  readonly podsEvicted: number;
  readonly extraCores: number;
}

/** Judges the record of one run. */
export function factsOf(record: RunRecord): FleetFacts {
  const byGroup = Map.groupBy(record.machines, ({ group }) => group);
  return {
    seed: record.seed,
    durationMs: record.endMs,
    groups: record.groups.map((group) => groupFacts(group, byGroup.get(group.key) ?? [], record.endMs)),
    budgets: budgetFacts(record),
    podsEvicted: record.evictions.filter(({ isRefused }) => !isRefused).length,
    extraCores: extraCores(record.machines),
  };
}

function groupFacts(group: GroupRecord, machines: readonly MachineHistory[], endMs: number): GroupFacts {
  const { key, replicasBefore, replicasAfter, maxUnavailable } = group;
  const before = machines.filter(({ createdMs }) => createdMs < 0);
  const gone = before.filter(({ goneMs }) => goneMs !== undefined);
  // A group that shrinks removes machines without a successor.
  const removed = Math.min(gone.length, Math.max(0, replicasBefore - replicasAfter));
  const inPlace = before.filter(isUpdatedInPlace);
  const desired = Math.min(replicasBefore, replicasAfter);
  const levels = levelsOf(machines);
  const floor = maxUnavailable === undefined ? undefined : Math.max(0, desired - maxUnavailable);
  return {
    key,
    replaced: gone.length - removed,
    inPlace: inPlace.length,
    removed,
    untouched: before.length - gone.length - inPlace.length,
    added: machines.length - before.length,
    waves: wavesIn(levels, desired, before),
    durationMs: Math.max(0, ...machines.flatMap(lastChangeOf)),
    lowest: lowestOf(levels, desired),
    ...(floor !== undefined && { floor }),
    levels,
    machines: machines.map((machine) => machineFacts(machine, endMs, gone.length - removed)),
  };
}

function isUpdatedInPlace({ goneMs, updatedMs, versionBefore, versionAfter }: MachineHistory): boolean {
  return goneMs === undefined && (updatedMs.length > 0 || versionBefore !== versionAfter);
}

function lastChangeOf({ createdMs, goneMs, availability, updatedMs }: MachineHistory): readonly number[] {
  const times = [createdMs, goneMs ?? 0, availability.at(-1)?.[0] ?? 0, updatedMs.at(-1) ?? 0];
  return times.filter((atMs) => atMs > 0);
}

/** The number of available machines at the change, and after each moment at which it changes. */
function levelsOf(machines: readonly MachineHistory[]): readonly Level[] {
  const changes = machines
    .flatMap(({ availability }) => availability)
    .toSorted(([oneMs], [otherMs]) => oneMs - otherMs);
  let available = 0;
  const levels: Level[] = [[0, 0]];
  for (const [atMs, isAvailable] of changes) {
    available += isAvailable ? 1 : -1;
    const last = levels.at(-1);
    if (atMs <= 0 || last?.[0] === atMs) levels[levels.length - 1] = [Math.max(0, atMs), available];
    else levels.push([atMs, available]);
  }
  return levels;
}

function lowestOf(levels: readonly Level[], of: number): GroupFacts["lowest"] {
  const [first = [0, 0] as Level] = levels;
  const [atMs, available] = levels.reduce((lowest, level) => (level[1] < lowest[1] ? level : lowest), first);
  return { available, of, atMs };
}

/** How often a machine of before goes away or stops, counted once until the group is complete again. */
function wavesIn(levels: readonly Level[], desired: number, before: readonly MachineHistory[]): number {
  const losses = before
    .flatMap(({ availability }) => availability.filter(([atMs, isAvailable]) => atMs > 0 && !isAvailable))
    .map(([atMs]) => atMs)
    .toSorted((one, other) => one - other);
  let waves = 0;
  let completeMs = -1;
  for (const atMs of losses) {
    if (atMs < completeMs) continue;
    waves++;
    completeMs =
      levels.find(([ms, available]) => ms >= atMs && available >= desired)?.[0] ?? Number.POSITIVE_INFINITY;
  }
  return waves;
}

function machineFacts(machine: MachineHistory, endMs: number, replaced: number): MachineOutcome {
  const { name, createdMs, goneMs } = machine;
  return {
    name,
    fate: fateOf(machine, replaced),
    createdMs,
    ...(goneMs !== undefined && { goneMs }),
    available: spansOf(machine, endMs),
  };
}

function fateOf(machine: MachineHistory, replaced: number): MachineOutcome["fate"] {
  if (machine.createdMs >= 0) return "new";
  if (machine.goneMs !== undefined) return replaced > 0 ? "replaced" : "removed";
  return isUpdatedInPlace(machine) ? "updated in place" : "untouched";
}

function spansOf({ availability }: MachineHistory, endMs: number): readonly (readonly [number, number])[] {
  return availability.flatMap(([atMs, isAvailable], index) => {
    const nextMs = availability[index + 1]?.[0];
    // A run in which nothing happens ends at once: what is available then still is.
    const isShown = isAvailable && (nextMs === undefined || nextMs > 0);
    return isShown ? [[Math.max(0, atMs), nextMs ?? endMs] as const] : [];
  });
}

interface Held {
  readonly budget: string;
  readonly heldMs: number;
  readonly outcome: BudgetFacts["outcome"];
}

function budgetFacts({ evictions, refusedPods, endMs }: RunRecord): readonly BudgetFacts[] {
  const byPod = Map.groupBy(evictions, ({ cluster, pod }) => `${cluster} ${pod}`);
  const held = refusedPods.flatMap(({ cluster, pod, goneMs }) =>
    heldBy(byPod.get(`${cluster} ${pod}`) ?? [], { goneMs, endMs }),
  );
  return [...Map.groupBy(held, ({ budget }) => budget)]
    .map(([budget, these]) => ({
      budget,
      heldMs: Math.max(...these.map(({ heldMs }) => heldMs)),
      pods: these.length,
      outcome: OUTCOMES.find((one) => these.some(({ outcome }) => outcome === one)) ?? "waited",
    }))
    .toSorted((one, other) => other.heldMs - one.heldMs);
}

/** From the worst to the best. */
const OUTCOMES = ["blocks", "overridden", "waited"] as const;

function heldBy(
  requests: readonly EvictionRecord[],
  { goneMs, endMs }: { readonly goneMs: number | undefined; readonly endMs: number },
): readonly Held[] {
  const [first] = requests.filter(({ isRefused }) => isRefused);
  if (!first) return [];
  const accepted = requests.find(({ isRefused, atMs }) => !isRefused && atMs >= first.atMs);
  const outcome = accepted ? "waited" : goneMs === undefined ? "blocks" : "overridden";
  const heldMs = (accepted?.atMs ?? goneMs ?? endMs) - first.atMs;
  return first.budgets.map((budget) => ({ budget: `${first.cluster} ${budget}`, heldMs, outcome }));
}

/** The most cores at once above those of the machines at the change. */
function extraCores(machines: readonly MachineHistory[]): number {
  const changes = machines
    .flatMap(({ createdMs, goneMs, cores }): [number, number][] => [
      ...(createdMs >= 0 ? [[createdMs, cores] as [number, number]] : []),
      ...(goneMs === undefined || goneMs < 0 ? [] : [[goneMs, -cores] as [number, number]]),
    ])
    .toSorted(([oneMs, one], [otherMs, other]) => oneMs - otherMs || one - other);
  let extra = 0;
  let most = 0;
  for (const [, cores] of changes) most = Math.max(most, (extra += cores));
  return most;
}
