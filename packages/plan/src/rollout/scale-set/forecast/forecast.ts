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

/** Simulates a rollout in time, with the same planner that the pool controller uses. */
export function forecastPool(view: PoolView, times: StepTimes): Forecast {
  const course = startOf(view, times);
  const started: TimedAction[] = [];
  const seen = { lowestAvailable: Number.POSITIVE_INFINITY, mostMachines: 0, lastMs: view.nowMs };
  const steps = STEPS_PER_MACHINE * (view.machines.length + view.desired + 10);
  let plan = planPool(viewOf(course));
  for (let step = 0; step < steps; step++) {
    seen.lowestAvailable = Math.min(seen.lowestAvailable, plan.budget.available);
    seen.mostMachines = Math.max(seen.mostMachines, plan.budget.live);
    const actions = plan.actions.filter(({ action }) => action !== "Wait");
    for (const action of actions) {
      started.push({ afterMs: course.view.nowMs - view.nowMs, action });
      performActions(course, action);
    }
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
  const waves = wavesOf(started, durationMs);
  const { lowestAvailable, mostMachines } = seen;
  return {
    waves,
    totals: {
      ...countsOf(started),
      created: madeBy(course),
      waves: waves.length,
      durationMs,
      lowestAvailable,
      mostMachines,
    },
    isReached: plan.actions.length === 0 && plan.blocked.length === 0,
    blocked: plan.blocked,
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
