import type { Forecast, PoolView } from "@capstan/plan";
import type { PoolParts } from "../../plan/planners/pool-parts.ts";
import { forecastOf, minReadySecondsOf } from "../../plan/planners/pool-plan.ts";
import { medianTimes } from "../../plan/times/expected-times.ts";
import type { RolloutState } from "../../rollout/rollout-state.ts";
import { type ForecastLanes, forecastLanes } from "../lanes/forecast-lanes.ts";

// The forecast of a smaller pool takes milliseconds.
const LARGE = 500;
// A large rollout takes hours: half a minute moves its end by nothing.
const LONGEST_AGE_MS = 30_000;

interface Kept {
  readonly forecast: Forecast;
  readonly atMs: number;
  readonly hash: string;
  lanes?: ForecastLanes;
}

/** The forecast of a pool: of a large one it is kept for a while, so that a change is not shown later because of it. */
export class KeptForecast {
  #kept: Kept | undefined;

  /** The forecast of the state. */
  of(parts: PoolParts, view: PoolView): Forecast {
    const { nowMs, machines, desiredHash: hash } = view;
    const kept = this.#kept;
    const isFresh = kept && nowMs - kept.atMs < LONGEST_AGE_MS && kept.hash === hash;
    if (isFresh && machines.length > LARGE) return kept.forecast;
    const forecast = forecastOf(parts, view);
    this.#kept = { forecast, atMs: nowMs, hash };
    return forecast;
  }

  /** The same as phases of machines, from the time when it was made; they are drawn once. */
  lanes({ forecast, parts }: RolloutState): ForecastLanes | undefined {
    if (!forecast) return undefined;
    const kept = this.#kept;
    if (kept?.forecast !== forecast) throw new TypeError("a state has the forecast that was made last");
    const times = medianTimes({ minReadySeconds: minReadySecondsOf(parts) });
    return (kept.lanes ??= forecastLanes({ forecast, times, nowMs: kept.atMs }));
  }
}
