import { expect, test } from "vitest";
import type { BudgetFacts, FleetFacts, GroupFacts } from "./facts.ts";
import type { GroupRecord } from "./record.ts";
import { type SeedFacts, spread, verdictOf } from "./verdict.ts";

const GROUP: GroupRecord = {
  key: "MachinePool/default/workers",
  kind: "MachinePool",
  namespace: "default",
  name: "workers",
  cluster: "quay",
  replicasBefore: 3,
  replicasAfter: 3,
  maxUnavailable: 1,
  why: [],
  isPaused: false,
};

const facts = (parts: Partial<GroupFacts> = {}): GroupFacts => ({
  key: GROUP.key,
  replaced: 0,
  inPlace: 0,
  removed: 0,
  untouched: 3,
  added: 0,
  waves: 0,
  durationMs: 0,
  lowest: { available: 3, of: 3, atMs: 0 },
  floor: 2,
  levels: [],
  machines: [],
  ...parts,
});

interface Parts {
  readonly group?: Partial<GroupFacts>;
  readonly budgets?: readonly BudgetFacts[];
  readonly run?: Partial<SeedFacts["run"]>;
  readonly record?: Partial<GroupRecord>;
  readonly facts?: Partial<FleetFacts>;
}

const seed = ({ group, budgets = [], run, record, facts: more }: Parts = {}): SeedFacts => ({
  facts: {
    seed: "1",
    durationMs: 0,
    groups: [facts(group)],
    budgets,
    podsEvicted: 0,
    extraCores: 0,
    ...more,
  },
  run: {
    seed: "1",
    isAtRest: true,
    isCutOff: false,
    groups: [{ ...GROUP, ...record }],
    azure: { requests: 0, writes: 0, throttled: 0 },
    faults: 0,
    ...run,
  },
});

const budget = (outcome: BudgetFacts["outcome"]): BudgetFacts => ({
  budget: "quay shop/web",
  heldMs: 1,
  pods: 1,
  outcome,
});
const REPLACED = { replaced: 3, untouched: 0 };

const JUDGING = { noVerdictFor: () => undefined, changed: [GROUP.key] };

test.each<[string, Parts, string, string]>([
  ["no machine is touched", {}, "nothing is disrupted", "no machine is replaced"],
  ["machines are replaced", { group: REPLACED }, "disrupted within budgets", "machines: 3 replaced"],
  [
    "a budget waits",
    { group: REPLACED, budgets: [budget("waited")] },
    "disrupted within budgets",
    "3 replaced",
  ],
  [
    "a budget blocks",
    { group: REPLACED, budgets: [budget("blocks")] },
    "would block or break a budget",
    "quay shop/web allows no eviction",
  ],
  [
    "a drain times out",
    { group: REPLACED, budgets: [budget("overridden")] },
    "would block or break a budget",
    "is overridden",
  ],
  [
    "a group falls below its budget",
    { group: { ...REPLACED, lowest: { available: 1, of: 3, atMs: 5 } } },
    "would block or break a budget",
    "falls to 1 available machines; its strategy allows no fewer than 2",
  ],
  [
    "a group never settles",
    { record: { unfinished: "ScalingUp is True" } },
    "would block or break a budget",
    "never settles: ScalingUp",
  ],
  [
    "the server refuses the change",
    { run: { refusal: "no" } },
    "refused",
    "the server refuses the change: no",
  ],
  [
    "an invariant is violated",
    { run: { defect: "no-hot-loop" } },
    "no verdict",
    "not to be trusted: no-hot-loop",
  ],
  [
    "a changed group is paused",
    { record: { isPaused: true } },
    "no verdict",
    "is paused: no controller acts on it",
  ],
  ["the world never comes to rest", { run: { isAtRest: false } }, "no verdict", "does not come to rest"],
])("the outcome is what users must know when %s", (_, parts, outcome, why) => {
  expect(verdictOf([seed(parts), seed()], JUDGING)).toMatchObject({
    outcome,
    why: expect.stringContaining(why) as string,
  });
});

const UNSETTLED = { unfinishedBefore: "no image", unfinished: "no image" };
const NONE = { lowest: { available: 0, of: 3, atMs: 0 }, untouched: 0 };

test("a group that was not settled before the change gets no verdict, and is not blamed on the change", () => {
  expect(verdictOf([seed({ group: NONE, record: UNSETTLED })], JUDGING)).toMatchObject({
    outcome: "no verdict",
    why: `${GROUP.key}: it does not settle before the change: no image`,
    groups: [{ breaches: 0 }],
  });
});

test("a group that never grew counts where the change may be about it, and not where another group moves", () => {
  const other = { ...GROUP, key: "KubeadmControlPlane/default/quay" };
  const both: SeedFacts = {
    ...seed(),
    facts: { ...seed().facts, groups: [facts(NONE), facts({ ...REPLACED, key: other.key })] },
    run: { ...seed().run, groups: [{ ...GROUP, ...UNSETTLED }, other] },
  };
  const outcome = (changed: readonly string[]): string => verdictOf([both], { ...JUDGING, changed }).outcome;
  expect(outcome([other.key])).toBe("disrupted within budgets");
  expect(outcome([other.key, GROUP.key])).toBe("no verdict");
  expect(outcome(["AzureMachineTemplate/default/t"])).toBe("no verdict");
});

test("a group that the change repairs is judged, and its availability before is not", () => {
  const repaired = seed({ group: { ...NONE, added: 3 }, record: { unfinishedBefore: "no image" } });
  expect(verdictOf([repaired], JUDGING).outcome).toBe("nothing is disrupted");
});

test("a rollout that needs more time than the run has gets no verdict", () => {
  const run = { isAtRest: false, isCutOff: true };
  const cutOff = seed({ group: REPLACED, run, record: { unfinished: "2 of 900 up to date" } });
  expect(verdictOf([cutOff], JUDGING)).toMatchObject({
    outcome: "no verdict",
    why: `${GROUP.key} is not done within the limit; give a longer --limit`,
  });
  expect(verdictOf([cutOff, seed({ record: { unfinished: "no image" } })], JUDGING)).toMatchObject({
    outcome: "would block or break a budget",
    groups: [{ unfinished: { seeds: 1, why: "no image" } }],
  });
});

test("a group that another program moves gets no verdict, whatever the simulation shows", () => {
  const broken = seed({ group: { ...REPLACED, lowest: { available: 0, of: 3, atMs: 5 } } });
  const verdict = verdictOf([broken], { ...JUDGING, noVerdictFor: () => "CAPZ runs it" });
  expect(verdict).toMatchObject({
    outcome: "no verdict",
    why: `${GROUP.key}: CAPZ runs it`,
  });
});

test.each([
  [[5], 5, 5],
  [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 5, 9],
  [[3, 1, 2], 2, 3],
  [[], 0, 0],
])("half and nine tenths of %j do not exceed its percentiles", (values, p50, p90) => {
  expect(spread(values)).toEqual({ p50, p90 });
});

test("the lowest availability is that of the worst seed, and names it", () => {
  const low = seed({
    facts: { seed: "7", groups: [facts({ ...REPLACED, lowest: { available: 2, of: 3, atMs: 9 } })] },
  });
  const [group] = verdictOf([seed({ group: REPLACED }), low], JUDGING).groups;
  expect(group?.lowest).toEqual({ available: 2, of: 3, atMs: 9, seed: "7" });
});
