import { AzureMachinePool, AzureMachinePoolMachine, Cluster, MachinePool } from "@capstan/api";
import type { Lane, LaneForecast, Obstacle, RolloutHead, Tone, ViewState } from "@capstan/page";
import { MACHINE_POOL_LABEL } from "@capstan/manager";
import type { Forecaster } from "../../plan/planners/pool-plan.ts";
import { budgetLine } from "../../rollout/budget-line.ts";
import { inTheWay, machineReports, type Report } from "../../rollout/obstacles.ts";
import { paceAfter, paceLine } from "../../rollout/pace.ts";
import { rolloutAnswer } from "../../rollout/rollout-answer.ts";
import {
  confirmed,
  momentOf,
  noteLines,
  type RolloutState,
  sentenceFor,
} from "../../rollout/rollout-state.ts";
import { poolGroupOf } from "../../rollout/rollout-tree.ts";
import { stateReader } from "../../rollout/state-reader.ts";
import type { LaneRecord } from "../lanes/lane-history.ts";
import { type HeldRollout, obstacleOf } from "../lanes/unblock.ts";
import type { LiveView } from "../live/follow-view.ts";
import { clusterNameOf } from "../live/live-objects.ts";
import { levelsOf, LOOK_BACK_MS, noteLevel, type RolloutMemory } from "./rollout-memory.ts";
import type { ViewSources } from "./view-for.ts";

/** Names a pool by one of its two objects. */
export interface PoolOfView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

// The forecast and the pace move with the time.
const REFRESH_MS = 5_000;

const KINDS: ReadonlySet<string> = new Set(
  [Cluster, MachinePool, AzureMachinePool, AzureMachinePoolMachine].map(({ kind }) => kind),
);

/** The rollout of a pool, with the facts of `capstan rollout status`. */
export function poolRolloutView(pool: PoolOfView, sources: ViewSources): LiveView {
  const { live, now, memories, lanes, flags } = sources;
  const { kind, namespace, name } = pool;
  const memory = memories.of(`${kind}/${namespace}/${name}`);
  const forecaster: Forecaster = (parts, view) => memory.forecast.of(parts, view);
  const read = stateReader(live.reader(), { name: `${kind}/${name}`, namespace }, { now, forecaster });
  let cluster: string | undefined;
  return {
    refreshMs: REFRESH_MS,
    note: ({ kind: changed, object }) => {
      if (!KINDS.has(changed.kind) || object.metadata.namespace !== namespace) return false;
      const of = changed.kind === Cluster.kind ? object.metadata.name : clusterNameOf(object);
      return cluster === undefined || of === undefined || of === cluster;
    },
    read: async (): Promise<ViewState<RolloutHead, Lane>> => {
      const state = confirmed(await read(), memory.earlier);
      noteState(memory, state);
      cluster = state.parts.machinePool.spec.clusterName;
      const records = lanes.select(
        ({ kind: of, metadata }) =>
          of === AzureMachinePoolMachine.kind &&
          metadata.namespace === namespace &&
          metadata.labels?.[MACHINE_POOL_LABEL] === state.parts.pool.metadata.name,
      );
      const rows = lanesOf(state, records, memory);
      return { head: headOf(state, { levels: levelsOf(memory, rows), memory, flags }), rows };
    },
  };
}

function noteState(memory: RolloutMemory, state: RolloutState): void {
  memory.earlier = state;
  memory.pace = paceAfter(memory.pace, momentOf(state));
  noteLevel(memory, state.view.nowMs, state.plan.budget.available);
}

interface HeadSources {
  readonly levels: RolloutHead["levels"];
  readonly memory: RolloutMemory;
  readonly flags: string;
}

function headOf(state: RolloutState, { levels, memory, flags }: HeadSources): RolloutHead {
  const { pace } = memory;
  const { plan, parts, view } = state;
  const { name, namespace = "" } = parts.pool.metadata;
  return {
    numbers: rolloutAnswer(state),
    tone: toneOf(state),
    sentence: sentenceFor(state),
    obstacles: obstaclesOf(state, flags),
    notes: noteLines(state),
    budget: budgetLine(plan.budget),
    floor: plan.budget.floor,
    levels,
    beganMs: pace?.beganMs ?? view.nowMs - LOOK_BACK_MS,
    ...(pace?.endedMs !== undefined && { endedMs: pace.endedMs }),
    ...(pace?.expectedEndMs !== undefined && !state.isDone && { expectedEndMs: pace.expectedEndMs }),
    ...(pace && { pace: paceLine(pace, momentOf(state)) }),
    command: `npx capstan rollout status ${name} -n ${namespace} ${flags}`.trim(),
  };
}

function toneOf(state: RolloutState): Tone {
  if (state.failure !== undefined) return "bad";
  if (state.isDone) return "good";
  return inTheWay(state).length > 0 || state.drains.length > 0 ? "bad" : "waiting";
}

/** The same reports as `capstan rollout status` prints, and the drains that pods hold up; each with the way out. */
function obstaclesOf(state: RolloutState, flags: string): readonly Obstacle[] {
  const { parts, drains } = state;
  const { kind, metadata } = parts.pool;
  const held: HeldRollout = {
    word: metadata.name,
    kind,
    namespace: metadata.namespace ?? "",
    name: metadata.name,
    cluster: parts.machinePool.spec.clusterName,
    flags,
  };
  const reports: readonly Report[] = [
    ...(state.failure === undefined ? [] : [{ who: "", reason: "Failed", message: state.failure }]),
    ...drains.map(({ targets, reason, why }) => ({ who: targets.join(", "), reason, message: why })),
    ...inTheWay(state),
    ...machineReports(state),
  ];
  // The condition of a machine repeats what its drain says.
  const different = reports.filter(
    ({ who, reason, message }, index) =>
      reports.findIndex((one) => one.who === who && one.reason === reason && one.message === message) ===
      index,
  );
  return different.slice(0, MOST_OBSTACLES).map((report) => obstacleOf(report, held));
}

// A user with more to repair begins with these.
const MOST_OBSTACLES = 12;

function lanesOf(
  state: RolloutState,
  records: readonly LaneRecord[],
  { forecast, drawn }: RolloutMemory,
): readonly Lane[] {
  const { view } = state;
  const views = new Map(view.machines.map((machine) => [machine.name, machine]));
  const expected = forecast.lanes(state);
  const shown = drawn.draw(records, ({ machine: { metadata } }) => {
    const machine = views.get(metadata.name);
    const group = machine ? poolGroupOf(machine, view.desiredHash) : "gone";
    return { group, forecast: expected?.byName.get(metadata.name) ?? NOTHING_EXPECTED, nowMs: view.nowMs };
  });
  return [...shown, ...(expected && !state.isDone ? expected.created : [])];
}

const NOTHING_EXPECTED: readonly LaneForecast[] = [];
