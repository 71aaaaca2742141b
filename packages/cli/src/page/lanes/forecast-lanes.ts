/** The forecast of a pool as phases of its machines. Pure. */
import type { Lane, LaneForecast } from "@capstan/page";
import type { Forecast, StepTimes, TimedAction } from "@capstan/plan";

// The forecast of more machines is a number, not a picture.
const MOST_NEW_LANES = 40;

/** What the forecast says about the machines that exist, and about those that do not yet. */
export interface ForecastLanes {
  readonly byName: ReadonlyMap<string, readonly LaneForecast[]>;
  readonly created: readonly Lane[];
}

/** A forecast in the time of the cluster. */
interface Expected {
  readonly forecast: Forecast;
  readonly times: StepTimes;
  readonly nowMs: number;
}

/** The dashed part of the lanes. */
export function forecastLanes({ forecast, times, nowMs }: Expected): ForecastLanes {
  const actions = forecast.waves.flatMap((wave) => wave.actions);
  const byName = new Map<string, readonly LaneForecast[]>();
  for (const one of actions)
    for (const [name, phases] of phasesOfTargets(one, times, nowMs))
      if (!byName.has(name)) byName.set(name, phases);
  const created = actions.flatMap((one) => createdBy(one, times, nowMs)).slice(0, MOST_NEW_LANES);
  return { byName, created: created.map((phases, index) => newLane(phases, index)) };
}

type Phases = readonly LaneForecast[];

function phasesOfTargets(
  { action, afterMs }: TimedAction,
  times: StepTimes,
  nowMs: number,
): readonly (readonly [string, Phases])[] {
  const startMs = nowMs + afterMs;
  if (action.action === "DeleteMachine") {
    const phases = inOrder(startMs, [
      ["drain", times("drain")],
      ["delete", times("list") + times("delete")],
    ]);
    return action.targets.map((name) => [name, phases]);
  }
  if (action.action !== "UpdateMachineInPlace") return [];
  const phases = inOrder(startMs, [
    ["drain", times("drain")],
    ["update", times("notice") + times("update") + times("notice")],
    ["boot", times("boot")],
  ]);
  return action.targets.map((name) => [name, phases]);
}

/** A write of the scale set creates the machines by which it is larger. */
function createdBy({ action, afterMs }: TimedAction, times: StepTimes, nowMs: number): readonly Phases[] {
  if (action.action !== "SetCapacity" && action.action !== "PutModel") return [];
  const { from, to } = action.detail;
  const phases = inOrder(nowMs + afterMs, [
    ["create", times("put") + times("create")],
    ["boot", times("boot")],
  ]);
  return Array.from({ length: Math.max(0, to - from) }, () => phases);
}

/** Steps that follow one another. */
export function inOrder(
  startMs: number,
  steps: readonly (readonly [LaneForecast["phase"], number])[],
): Phases {
  let fromMs = startMs;
  return steps.map(([phase, durationMs]) => {
    const toMs = fromMs + durationMs;
    const step = { phase, fromMs, toMs };
    fromMs = toMs;
    return step;
  });
}

/** The lane of a machine that does not exist yet. */
export function newLane(forecast: Phases, index: number): Lane {
  return {
    key: `new/${index}`,
    name: `new machine ${index + 1}`,
    kind: "",
    namespace: "",
    group: "expected",
    tone: "unknown",
    segments: [],
    forecast,
    message: "",
  };
}
