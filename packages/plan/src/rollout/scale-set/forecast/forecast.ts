import type { Blocked, PoolAction } from "../action.ts";
import { type PoolPlan, planPool } from "../plan.ts";
import type { PoolView } from "../view.ts";
import { type Course, performActions, madeBy, moveOn, startOf, viewOf, waitUntil } from "./course.ts";
import type { StepTimes } from "./step-times.ts";

/** An action and its start time, relative to now. */
export interface TimedAction {
  readonly afterMs: number;
  readonly action: PoolAction;
}

/** The machines that are disrupted together, with the actions before them and until the next wave. */
export interface Wave {
  readonly number: number;
  readonly afterMs: number;
  readonly durationMs: number;
  readonly actions: readonly TimedAction[];
}

/** The numbers of a whole rollout. */
export interface Totals {
  readonly waves: number;
  readonly durationMs: number;
  readonly created: number;
  readonly deleted: number;
  readonly updatedInPlace: number;
  /** Requests that change the scale set itself. */
  readonly puts: number;
  readonly lowestAvailable: number;
  readonly mostMachines: number;
}

/** How a rollout proceeds if no step fails. */
export interface Forecast {
  readonly waves: readonly Wave[];
  readonly totals: Totals;
  /** Whether the pool reaches its desired state; otherwise `blocked` has the reason why it stops. */
  readonly isReached: boolean;
  readonly blocked: readonly Blocked[];
}

/** After this long, machines count as stuck; if the planner only waits then, it will wait forever. */
const STUCK_WAIT_MS = 11 * 60_000;

/** No rollout takes this many steps for each machine; the limit ends a forecast that would loop forever. */
const STEPS_PER_MACHINE = 20;

interface ForecastLimits {
  /** Simulate so many waves; the rest is taken to go on at their pace. */
  readonly mostWaves: number;
}

/** Simulates a rollout in time, with the same planner that the pool controller uses. */
export function forecastPool(
  view: PoolView,
  times: StepTimes,
  { mostWaves }: ForecastLimits = { mostWaves: Infinity },
): Forecast {
  const course = startOf(view, times);
  const started: TimedAction[] = [];
  const waves: WaveStart[] = [];
  const seen = { lowestAvailable: Number.POSITIVE_INFINITY, mostMachines: 0, lastMs: view.nowMs };
  const steps = STEPS_PER_MACHINE * (view.machines.length + view.desired + 10);
  let plan = planPool(viewOf(course));
  for (let step = 0; step < steps; step++) {
    seen.lowestAvailable = Math.min(seen.lowestAvailable, plan.budget.available);
    seen.mostMachines = Math.max(seen.mostMachines, plan.budget.live);
    const actions = plan.actions.filter(({ action }) => action !== "Wait");
    if (actions.some(isDisruptive)) noteWave(waves, { course, plan, started, beganMs: view.nowMs });
    if (waves.length > mostWaves) return extrapolated(started, waves, seen);
    started.push(...actions.map((action) => ({ afterMs: course.view.nowMs - view.nowMs, action })));
    actions.forEach((action) => performActions(course, action));
    if (actions.length === 0 && !moveOn(course)) {
      const later = afterStuckWait(course, plan);
      if (!later) break;
      plan = later;
      continue;
    }
    if (actions.length === 0) seen.lastMs = course.view.nowMs;
    plan = planPool(viewOf(course));
  }
  const durationMs = seen.lastMs - view.nowMs;
  const all = wavesOf(started, durationMs);
  const { lowestAvailable, mostMachines } = seen;
  return {
    waves: all,
    totals: {
      ...countsOf(started),
      created: madeBy(course),
      waves: all.length,
      durationMs,
      lowestAvailable,
      mostMachines,
    },
    isReached: plan.actions.length === 0 && plan.blocked.length === 0,
    blocked: plan.blocked,
  };
}

/** When a wave begins, how many machines are outdated then, and what was done before. */
interface WaveStart extends Pick<Totals, "created" | "deleted" | "updatedInPlace" | "puts"> {
  readonly afterMs: number;
  readonly outdated: number;
}

interface BegunWave {
  readonly course: Course;
  readonly plan: PoolPlan;
  readonly started: readonly TimedAction[];
  readonly beganMs: number;
}

/** A wave may begin with several steps at the same time. */
function noteWave(waves: WaveStart[], { course, plan, started, beganMs }: BegunWave): void {
  const afterMs = course.view.nowMs - beganMs;
  if (waves.at(-1)?.afterMs === afterMs) return;
  waves.push({ ...countsOf(started), afterMs, outdated: plan.budget.outdated, created: madeBy(course) });
}

/** The rest of a rollout goes on like the second half of the simulated waves: the first ones fill the budget. */
function extrapolated(
  started: readonly TimedAction[],
  waves: readonly WaveStart[],
  { lowestAvailable, mostMachines }: Pick<Totals, "lowestAvailable" | "mostMachines">,
): Forecast {
  const [middle, last] = [waves[Math.floor(waves.length / 2)], waves.at(-1)];
  if (!middle || !last) throw new TypeError("a forecast is cut at a wave");
  const share = last.outdated / Math.max(1, middle.outdated - last.outdated);
  const atEnd = (count: "afterMs" | "deleted" | "updatedInPlace" | "puts"): number =>
    Math.round(last[count] + share * (last[count] - middle[count]));
  const waveCount = waves.length - 1;
  const deleted = atEnd("deleted");
  return {
    waves: wavesOf(started, last.afterMs),
    totals: {
      deleted,
      updatedInPlace: atEnd("updatedInPlace"),
      puts: atEnd("puts"),
      // Each deleted machine is replaced.
      created: Math.max(last.created, deleted),
      waves: Math.round(waveCount + share * (waveCount - Math.floor(waves.length / 2))),
      durationMs: atEnd("afterMs"),
      lowestAvailable,
      mostMachines,
    },
    isReached: true,
    blocked: [],
  };
}

/** With no event due: whether the planner acts after it has waited long enough. */
function afterStuckWait(course: Course, { actions, blocked }: PoolPlan): PoolPlan | undefined {
  if (actions.length === 0 && blocked.length === 0) return undefined;
  waitUntil(course, course.view.nowMs + STUCK_WAIT_MS);
  const later = planPool(viewOf(course));
  return later.actions.some(({ action }) => action !== "Wait") ? later : undefined;
}

/** Whether an action takes a working machine away from its pods. */
export function isDisruptive({ action }: Pick<PoolAction, "action">): boolean {
  return action === "DeleteMachine" || action === "UpdateMachineInPlace";
}

/** Starts a wave whenever machines are picked; earlier actions belong to the first wave. */
function wavesOf(started: readonly TimedAction[], durationMs: number): readonly Wave[] {
  const cuts = [...new Set(started.filter(({ action }) => isDisruptive(action)).map((one) => one.afterMs))];
  const starts = [0, ...cuts.slice(1)];
  if (started.length === 0) return [];
  return starts.map((afterMs, index) => {
    const endMs = starts[index + 1] ?? durationMs;
    const isLast = index === starts.length - 1;
    return {
      number: index + 1,
      afterMs,
      durationMs: endMs - afterMs,
      actions: started.filter((one) => one.afterMs >= afterMs && (isLast || one.afterMs < endMs)),
    };
  });
}

function countsOf(started: readonly TimedAction[]): Pick<Totals, "deleted" | "updatedInPlace" | "puts"> {
  const targets = (name: PoolAction["action"]): number =>
    started.reduce((sum, { action }) => sum + (action.action === name ? action.targets.length : 0), 0);
  const puts = started.filter(
    ({ action }) => action.action === "PutModel" || action.action === "SetCapacity",
  );
  return {
    deleted: targets("DeleteMachine"),
    updatedInPlace: targets("UpdateMachineInPlace"),
    puts: puts.length,
  };
}
