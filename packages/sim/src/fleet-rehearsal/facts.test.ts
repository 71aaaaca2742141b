import { expect, test } from "vitest";
import { factsOf } from "./facts.ts";
import type { GroupRecord, MachineHistory, RunRecord } from "./record.ts";

const KEY = "MachinePool/default/workers";

const group = (parts: Partial<GroupRecord> = {}): GroupRecord => ({
  key: KEY,
  kind: "MachinePool",
  namespace: "default",
  name: "workers",
  cluster: "quay",
  replicasBefore: 2,
  replicasAfter: 2,
  maxUnavailable: 0,
  why: [],
  isPaused: false,
  ...parts,
});

/** A machine that is available for a time: both ends in milliseconds after the change. */
const machine = (
  name: string,
  [fromMs, toMs]: readonly [number, number?],
  parts: Partial<MachineHistory> = {},
) =>
  ({
    id: name,
    group: KEY,
    name,
    cores: 4,
    createdMs: fromMs - 60,
    ...(toMs !== undefined && { goneMs: toMs + 10 }),
    availability: [[fromMs, true], ...(toMs === undefined ? [] : [[toMs, false] as const])],
    updatedMs: [],
    ...parts,
  }) as MachineHistory;

const record = (parts: Partial<RunRecord> = {}): RunRecord => ({
  seed: "1",
  ungrown: [],
  grownMs: 0,
  isAtRest: true,
  isCutOff: false,
  endMs: 1000,
  groups: [group()],
  machines: [machine("a", [-500]), machine("b", [-400])],
  evictions: [],
  refusedPods: [],
  azure: { requests: 0, writes: 0, throttled: 0 },
  faults: 0,
  steps: 0,
  ...parts,
});

const SURGE = [
  machine("a", [-500, 210]),
  machine("b", [-400, 410]),
  machine("c", [200], { createdMs: 100 }),
  machine("d", [400], { createdMs: 300 }),
];

test.each<[string, RunRecord, object]>([
  ["nothing happens", record(), { replaced: 0, untouched: 2, waves: 0, durationMs: 0 }],
  [
    "each machine is replaced after its successor is there",
    record({ machines: SURGE }),
    {
      replaced: 2,
      untouched: 0,
      added: 2,
      waves: 2,
      durationMs: 420,
      lowest: { available: 2, of: 2, atMs: 0 },
    },
  ],
  [
    "both machines go before one is back",
    record({
      machines: [machine("a", [-9, 100]), machine("b", [-8, 150]), machine("c", [200]), machine("d", [300])],
    }),
    { replaced: 2, waves: 1, lowest: { available: 0, of: 2, atMs: 150 }, floor: 2 },
  ],
  [
    "the group shrinks",
    record({
      groups: [group({ replicasAfter: 1 })],
      machines: [machine("a", [-9, 100]), machine("b", [-8])],
    }),
    { replaced: 0, removed: 1, untouched: 1, lowest: { available: 1, of: 1, atMs: 100 } },
  ],
  [
    "a machine keeps its name and gets another version",
    record({
      machines: [machine("a", [-9], { versionBefore: "v1", versionAfter: "v2" }), machine("b", [-8])],
    }),
    { inPlace: 1, untouched: 1, replaced: 0 },
  ],
  [
    "another program decides how many may be away",
    record({ groups: [group({ maxUnavailable: undefined as never })] }),
    { floor: undefined },
  ],
])("the facts of a group are its machines when %s", (_, run, expected) => {
  expect({ floor: undefined, ...factsOf(run).groups[0] }).toMatchObject(expected);
});

test("machines that nothing happens to are available in a run that ends at once", () => {
  const [{ machines = [] } = {}] = factsOf(record({ endMs: 0 })).groups;
  expect(machines.map(({ available }) => available)).toEqual([[[0, 0]], [[0, 0]]]);
});

test("extra cores are those of machines that exist beside the ones they replace", () => {
  expect(factsOf(record({ machines: SURGE })).extraCores).toBe(4);
  expect(factsOf(record()).extraCores).toBe(0);
});

const refused = (atMs: number) => ({
  atMs,
  cluster: "quay",
  pod: "shop/web-1",
  isRefused: true,
  budgets: ["shop/web"],
});
const pod = { cluster: "quay", pod: "shop/web-1" };

test.each([
  [
    "waited",
    [refused(10), refused(20), { ...refused(70), isRefused: false, budgets: [] }],
    { ...pod, goneMs: 70 },
    60,
  ],
  ["overridden", [refused(10), refused(300)], { ...pod, goneMs: 310 }, 300],
  ["blocks", [refused(10), refused(900)], pod, 990],
])("a budget that refuses an eviction %s", (outcome, evictions, end, heldMs) => {
  const { budgets } = factsOf(record({ evictions, refusedPods: [end] }));
  expect(budgets).toEqual([{ budget: "quay shop/web", heldMs, pods: 1, outcome }]);
});
