import type { Lane, RolloutHead } from "@capstan/page";
import type { ForecastLanes } from "../lanes/forecast-lanes.ts";
import { DrawnLanes } from "../lanes/drawn-lanes.ts";
import { levelsBefore } from "../lanes/levels.ts";
import type { Pace } from "../../rollout/pace.ts";
import type { RolloutState } from "../../rollout/rollout-state.ts";
import { KeptForecast } from "./kept-forecast.ts";

/** What the page remembers of a rollout between reads, for all its windows. */
export interface RolloutMemory {
  earlier?: RolloutState;
  pace?: Pace | undefined;
  readonly forecast: KeptForecast;
  readonly drawn: DrawnLanes;
  /** The forecast of an owner that is not a pool, and of what it was made. */
  ofOwner?: { readonly atMs: number; readonly of: string; readonly lanes: ForecastLanes | undefined };
  readonly levels: Level[];
  /** The levels before those that were read, as the machines of the first read tell them. */
  before?: readonly Level[];
}

type Level = readonly [atMs: number, available: number];

/** What is shown where no rollout has been seen: the last minutes. */
export const LOOK_BACK_MS = 15 * 60_000;

// A picture has no more points.
const MOST_LEVELS = 1_000;
const MOST_ROLLOUTS = 200;

/** The memories by rollout; those that were not looked at for the longest time are forgotten first. */
export class RolloutMemories {
  readonly #memories = new Map<string, RolloutMemory>();

  /** The memory of a rollout. */
  of(key: string): RolloutMemory {
    const memory = this.#memories.get(key) ?? {
      forecast: new KeptForecast(),
      drawn: new DrawnLanes(),
      levels: [],
    };
    this.#memories.delete(key);
    this.#memories.set(key, memory);
    const [oldest] = this.#memories.keys();
    if (this.#memories.size > MOST_ROLLOUTS && oldest !== undefined) this.#memories.delete(oldest);
    return memory;
  }
}

/** Adds a level if it differs from the last one. */
export function noteLevel({ levels }: RolloutMemory, atMs: number, available: number): void {
  if (levels.at(-1)?.[1] === available) return;
  levels.push([atMs, available]);
  if (levels.length > MOST_LEVELS) levels.shift();
}

/** The levels that were read, after those that the lanes tell of the time before. */
export function levelsOf(memory: RolloutMemory, lanes: readonly Lane[]): RolloutHead["levels"] {
  memory.before ??= levelsBefore(lanes, memory.levels[0]?.[0] ?? 0);
  return [...memory.before, ...memory.levels];
}
