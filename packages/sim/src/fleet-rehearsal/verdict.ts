import type { BudgetFacts, FleetFacts, GroupFacts } from "./facts.ts";
import type { GroupRecord, RunRecord } from "./record.ts";

/** What a rehearsal says about a change; each is an exit code of the command line. */
export type Outcome =
  | "nothing is disrupted"
  | "disrupted within budgets"
  | "would block or break a budget"
  | "no verdict"
  | "refused";

/** Two percentiles over all seeds. */
export interface Spread {
  readonly p50: number;
  readonly p90: number;
}

/** The result of one seed. */
export interface SeedFacts {
  readonly facts: FleetFacts;
  readonly run: Pick<
    RunRecord,
    "seed" | "refusal" | "defect" | "isAtRest" | "isCutOff" | "groups" | "azure" | "faults"
  >;
}

/** What all seeds say about one group. */
export interface GroupVerdict {
  readonly group: GroupRecord;
  readonly replaced: Spread;
  readonly inPlace: Spread;
  readonly removed: Spread;
  readonly added: Spread;
  readonly untouched: number;
  readonly waves: Spread;
  readonly durationMs: Spread;
  /** The lowest of all seeds. */
  readonly lowest: GroupFacts["lowest"] & { readonly seed: string };
  readonly floor?: number;
  /** In how many seeds it was below its floor. */
  readonly breaches: number;
  /** In how many seeds it was not rolled out at the end, why in the first of them, and whether only time was missing. */
  readonly unfinished?: { readonly seeds: number; readonly why: string; readonly isCutOff: boolean };
  readonly noVerdict?: string;
  readonly isAffected: boolean;
}

/** What all seeds say about one disruption budget. */
export interface BudgetVerdict extends BudgetFacts {
  readonly seeds: number;
}

/** The answer to a change. */
export interface Verdict {
  readonly outcome: Outcome;
  /** The cause in a sentence. */
  readonly why: string;
  readonly seeds: number;
  readonly durationMs: Spread;
  readonly groups: readonly GroupVerdict[];
  readonly budgets: readonly BudgetVerdict[];
  readonly podsEvicted: Spread;
  readonly extraCores: Spread;
  readonly azure: {
    readonly requests: Spread;
    readonly writes: Spread;
    readonly throttled: Spread;
  };
  readonly faults: number;
}

/** What a verdict depends on beside the runs. */
export interface Judging {
  /** Why a group is not judged. */
  readonly noVerdictFor: (group: GroupRecord) => string | undefined;
  /** The objects that the change names: `KIND/NAMESPACE/NAME`. */
  readonly changed: readonly string[];
}

/** Sums up all seeds. */
export function verdictOf(seeds: readonly SeedFacts[], { noVerdictFor, changed }: Judging): Verdict {
  const groups = groupVerdicts(seeds, noVerdictFor);
  const budgets = budgetVerdicts(seeds);
  const over = (valueOf: (seed: SeedFacts) => number): Spread => spread(seeds.map(valueOf));
  return {
    ...outcomeOf(seeds, { groups, changed }, budgets),
    seeds: seeds.length,
    durationMs: over(({ facts }) => facts.durationMs),
    groups,
    budgets,
    podsEvicted: over(({ facts }) => facts.podsEvicted),
    extraCores: over(({ facts }) => facts.extraCores),
    azure: {
      requests: over(({ run }) => run.azure.requests),
      writes: over(({ run }) => run.azure.writes),
      throttled: over(({ run }) => run.azure.throttled),
    },
    faults: seeds.reduce((sum, { run }) => sum + run.faults, 0),
  };
}

/** The values that half and nine tenths of the runs do not exceed. */
export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: at(0.5), p90: at(0.9) };
}

function groupVerdicts(
  seeds: readonly SeedFacts[],
  noVerdictFor: (group: GroupRecord) => string | undefined,
): readonly GroupVerdict[] {
  const [first] = seeds;
  if (!first) return [];
  return first.run.groups.map((group) => {
    const facts = seeds.flatMap((seed) => seed.facts.groups.filter(({ key }) => key === group.key));
    return groupVerdict(group, facts, { seeds, noVerdict: noVerdictFor(group) });
  });
}

function groupVerdict(
  group: GroupRecord,
  facts: readonly GroupFacts[],
  { seeds, noVerdict }: { readonly seeds: readonly SeedFacts[]; readonly noVerdict: string | undefined },
): GroupVerdict {
  const over = (valueOf: (facts: GroupFacts) => number): Spread => spread(facts.map(valueOf));
  const unfinished = unfinishedIn(seeds, group.key);
  const floor = facts[0]?.floor;
  const isBelow = (one: GroupFacts): boolean => one.floor !== undefined && one.lowest.available < one.floor;
  const reason = noVerdict ?? (unfinished && unsettled(group));
  return {
    group,
    replaced: over(({ replaced }) => replaced),
    inPlace: over(({ inPlace }) => inPlace),
    removed: over(({ removed }) => removed),
    added: over(({ added }) => added),
    untouched: Math.min(...facts.map(({ untouched }) => untouched)),
    waves: over(({ waves }) => waves),
    durationMs: over(({ durationMs }) => durationMs),
    lowest: lowestOf(seeds, group.key),
    ...(floor !== undefined && { floor }),
    // A group that was below its budget when the change came is not below it because of the change.
    breaches: group.unfinishedBefore === undefined ? facts.filter(isBelow).length : 0,
    ...(unfinished && { unfinished }),
    ...(reason !== undefined && { noVerdict: reason }),
    isAffected: facts.some(isAffected),
  };
}

/** A group that does not settle without the change says nothing about it. */
function unsettled({ unfinishedBefore }: GroupRecord): string | undefined {
  return unfinishedBefore && `it does not settle before the change: ${unfinishedBefore}`;
}

/** The seeds in which a group never settles come before those that were cut off. */
function unfinishedIn(seeds: readonly SeedFacts[], of: string): GroupVerdict["unfinished"] {
  const all = seeds.flatMap(({ run }) =>
    run.groups.flatMap(({ key, unfinished: why }) =>
      key === of && why !== undefined ? [{ why, isCutOff: run.isCutOff }] : [],
    ),
  );
  const first = all.find(({ isCutOff }) => !isCutOff) ?? all[0];
  return first && { ...first, seeds: all.filter(({ isCutOff }) => isCutOff === first.isCutOff).length };
}

function isAffected({ replaced, inPlace, removed, added }: GroupFacts): boolean {
  return replaced + inPlace + removed + added > 0;
}

function lowestOf(seeds: readonly SeedFacts[], key: string): GroupVerdict["lowest"] {
  const all = seeds.flatMap(({ facts }) =>
    facts.groups.flatMap((group) => (group.key === key ? [{ ...group.lowest, seed: facts.seed }] : [])),
  );
  const [first = { available: 0, of: 0, atMs: 0, seed: "" }] = all;
  return all.reduce((lowest, one) => (one.available < lowest.available ? one : lowest), first);
}

/** From the worst to the best. */
const SEVERITY = ["blocks", "overridden", "waited"] as const;

function budgetVerdicts(seeds: readonly SeedFacts[]): readonly BudgetVerdict[] {
  const all = seeds.flatMap(({ facts }) => facts.budgets);
  return [...Map.groupBy(all, ({ budget }) => budget)]
    .map(([budget, these]) => ({
      budget,
      seeds: these.length,
      heldMs: Math.max(...these.map(({ heldMs }) => heldMs)),
      pods: Math.max(...these.map(({ pods }) => pods)),
      outcome: SEVERITY.find((one) => these.some(({ outcome }) => outcome === one)) ?? "waited",
    }))
    .toSorted((one, other) => other.heldMs - one.heldMs);
}

type Judgement = Pick<Verdict, "outcome" | "why">;

interface ChangedGroups extends Pick<Judging, "changed"> {
  readonly groups: readonly GroupVerdict[];
}

/** Rules in their order: the first that applies decides. */
function outcomeOf(
  seeds: readonly SeedFacts[],
  { groups, changed }: ChangedGroups,
  budgets: readonly BudgetVerdict[],
): Judgement {
  const judged = groups.filter(({ noVerdict }) => noVerdict === undefined);
  return (
    refusal(seeds) ??
    blocked(budgets) ??
    broken(judged) ??
    stuck(judged) ??
    unjudged(seeds, groups) ??
    paused(groups) ??
    ungrown({ groups, changed }) ??
    disrupted(judged)
  );
}

function refusal(seeds: readonly SeedFacts[]): Judgement | undefined {
  const refused = seeds.find(({ run }) => run.refusal !== undefined);
  return refused && { outcome: "refused", why: `the server refuses the change: ${refused.run.refusal}` };
}

function blocked(budgets: readonly BudgetVerdict[]): Judgement | undefined {
  const worst = budgets.find(({ outcome }) => outcome !== "waited");
  if (!worst) return undefined;
  const { budget, outcome } = worst;
  const why =
    outcome === "blocks"
      ? `PodDisruptionBudget ${budget} allows no eviction, so a drain never ends`
      : `PodDisruptionBudget ${budget} is overridden: a drain times out, and its pods are stopped all the same`;
  return { outcome: "would block or break a budget", why };
}

function broken(groups: readonly GroupVerdict[]): Judgement | undefined {
  const worst = groups.find(({ breaches }) => breaches > 0);
  if (!worst) return undefined;
  const { lowest, floor, group } = worst;
  const why = `${group.key} falls to ${lowest.available} available machines; its strategy allows no fewer than ${floor}`;
  return { outcome: "would block or break a budget", why };
}

function stuck(groups: readonly GroupVerdict[]): Judgement | undefined {
  const worst = groups.find(({ unfinished }) => unfinished?.isCutOff === false);
  if (!worst) return undefined;
  return {
    outcome: "would block or break a budget",
    why: `${worst.group.key} never settles: ${worst.unfinished?.why}`,
  };
}

function unjudged(seeds: readonly SeedFacts[], groups: readonly GroupVerdict[]): Judgement | undefined {
  const defect = seeds.find(({ run }) => run.defect !== undefined)?.run.defect;
  if (defect !== undefined)
    return {
      outcome: "no verdict",
      why: `the simulation of seed ${seeds[0]?.run.seed} is not to be trusted: ${defect}`,
    };
  const other = groups.find(({ noVerdict, isAffected: is }) => is && noVerdict !== undefined);
  if (other) return { outcome: "no verdict", why: `${other.group.key}: ${other.noVerdict}` };
  const cutOff = groups.find(({ unfinished }) => unfinished?.isCutOff === true);
  if (cutOff) {
    const why = `${cutOff.group.key} is not done within the limit; give a longer --limit`;
    return { outcome: "no verdict", why };
  }
  const restless = seeds.find(({ run }) => !run.isAtRest);
  return (
    restless && {
      outcome: "no verdict",
      why: `seed ${restless.run.seed} does not come to rest within the limit`,
    }
  );
}

/** A change of what no controller acts on disrupts nothing now, and may do so as soon as it is resumed. */
function paused(groups: readonly GroupVerdict[]): Judgement | undefined {
  const found = groups.find(({ group }) => group.isPaused);
  if (!found || groups.some(({ isAffected: is }) => is)) return undefined;
  return { outcome: "no verdict", why: `${found.group.key} is paused: no controller acts on it` };
}

/** A group that was never grown hides what the change does to it: if the change names it, or if nothing else moves. */
function ungrown({ groups, changed }: ChangedGroups): Judgement | undefined {
  const keys = new Set(groups.map(({ group }) => group.key));
  const isAboutGroups = changed.every((key) => keys.has(key));
  const isMoving = groups.some(({ isAffected: is }) => is);
  const found = groups.find(
    ({ group, noVerdict }) =>
      noVerdict !== undefined &&
      unsettled(group) !== undefined &&
      !(isMoving && isAboutGroups && !changed.includes(group.key)),
  );
  if (!found) return undefined;
  return { outcome: "no verdict", why: `${found.group.key}: ${found.noVerdict}` };
}

function disrupted(groups: readonly GroupVerdict[]): Judgement {
  const sum = (valueOf: (group: GroupVerdict) => Spread): number =>
    groups.reduce((all, group) => all + valueOf(group).p90, 0);
  const replaced = sum((one) => one.replaced);
  const inPlace = sum((one) => one.inPlace);
  const removed = sum((one) => one.removed);
  if (replaced + inPlace + removed === 0)
    return { outcome: "nothing is disrupted", why: "no machine is replaced, updated or removed" };
  const parts = [
    ...(replaced > 0 ? [`${replaced} replaced`] : []),
    ...(inPlace > 0 ? [`${inPlace} updated in place`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
  ];
  return { outcome: "disrupted within budgets", why: `machines: ${parts.join(", ")}` };
}
