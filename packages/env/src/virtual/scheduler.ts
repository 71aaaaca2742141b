import type { Timer } from "../clock.ts";
import { type Rng, createRng } from "../rng.ts";
import { Heap } from "./heap.ts";

/** A completion that waits for its turn: a timer, or the answer to some I/O. */
class Completion implements Timer {
  dueMs = 0;
  /** Random order among completions of the same time; the seed picks which schedule is tried. */
  tiebreak = 0;
  sequence = 0;
  readonly label: string;
  run: (() => void) | undefined;

  constructor(label: string) {
    this.label = label;
  }

  cancel(): void {
    this.run = undefined;
  }
}

/** A process that ends with its world. */
interface Endable {
  end(): void;
}

/** How a virtual world starts. */
export interface SchedulerOptions {
  readonly seed: string;
  /** Wall time at the start, in milliseconds since the epoch. */
  readonly startMs?: number;
  /** Called with each step, before it runs: the trace of the run. */
  readonly onStep?: (monotonicMs: number, label: string) => void;
}

/** When a run of the scheduler ends; it also ends when the heap is empty. */
export interface RunLimits {
  /** Stop before the first completion that is due after this monotonic time. */
  readonly untilMs?: number;
  /** Stop as soon as this holds after a step. */
  readonly until?: () => boolean;
  /** Throw after this many steps: a loop that never settles must not hang a test. */
  readonly maxSteps?: number;
}

// 2026-01-01: an arbitrary, readable start for virtual runs.
const DEFAULT_START_MS = Date.UTC(2026, 0, 1);
const DEFAULT_MAX_STEPS = 5_000_000;

/**
 * The core of virtual time. Every timer and every I/O completion enters one heap; one is released at a time, and all
 * microtasks it causes run before the next. The same seed therefore gives the same run, step for step.
 */
export class Scheduler {
  readonly seed: string;
  readonly #heap = new Heap<Completion>(isBefore);
  readonly #ties: Rng;
  readonly #onStep: SchedulerOptions["onStep"];
  readonly #processes = new Set<Endable>();
  #monotonicMs = 0;
  #wallOffsetMs: number;
  #sequence = 0;
  #steps = 0;
  #isClosed = false;
  #failure: { error: unknown } | undefined;

  constructor(options: SchedulerOptions) {
    this.seed = options.seed;
    this.#ties = createRng(options.seed, "schedule");
    this.#wallOffsetMs = options.startMs ?? DEFAULT_START_MS;
    this.#onStep = options.onStep;
  }

  get monotonicMs(): number {
    return this.#monotonicMs;
  }

  get wallMs(): number {
    return this.#wallOffsetMs + this.#monotonicMs;
  }

  /** Completions released so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Moves wall time, as NTP or a user would; timers are not affected. */
  jumpWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Enters a completion into the heap. */
  schedule(delayMs: number, label: string, run: () => void): Completion {
    const completion = new Completion(label);
    this.again(completion, delayMs, run);
    return completion;
  }

  /** Schedules a completion again, for example one that is due during a stall. Its holder can still cancel it. */
  again(completion: Completion, delayMs: number, run: () => void): void {
    completion.dueMs = this.#monotonicMs + Math.max(0, delayMs);
    completion.tiebreak = this.#ties.next();
    completion.sequence = this.#sequence++;
    completion.run = run;
    if (!this.#isClosed) this.#heap.push(completion);
  }

  /** Adds a process of the world; returns what removes it when it has ended. */
  add(process: Endable): () => void {
    this.#processes.add(process);
    return () => void this.#processes.delete(process);
  }

  /**
   * Ends all processes of the world: nothing runs in it any more. Until then the signals of its pending requests keep it
   * in memory, because Node holds every combined signal that has a listener.
   */
  close(): void {
    this.#isClosed = true;
    for (const process of this.#processes) process.end();
    while (this.#heap.pop());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Ends the run with this error at the end of the current step: for bugs found outside any promise. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  /** Releases completions in order until a limit is reached or the heap is empty. */
  async run({ untilMs = Infinity, until, maxSteps = DEFAULT_MAX_STEPS }: RunLimits = {}): Promise<void> {
    const lastStep = this.#steps + maxSteps;
    await inTurns(() => {
      this.#throwFailure();
      if (until?.()) return false;
      const completion = this.#next(untilMs);
      if (!completion) {
        if (untilMs !== Infinity) this.#monotonicMs = Math.max(this.#monotonicMs, untilMs);
        return false;
      }
      if (this.#steps >= lastStep) {
        throw new Error(`virtual time did not settle in ${maxSteps} steps; next: ${completion.label}`);
      }
      this.#release(completion);
      return true;
    });
  }

  /** Lets `durationMs` of virtual time pass. */
  async advance(durationMs: number): Promise<void> {
    await this.run({ untilMs: this.#monotonicMs + durationMs });
  }

  #next(untilMs: number): Completion | undefined {
    for (let first = this.#heap.peek(); first; first = this.#heap.peek()) {
      if (first.run && first.dueMs > untilMs) return undefined;
      this.#heap.pop();
      if (first.run) return first;
    }
    return undefined;
  }

  #release(completion: Completion): void {
    this.#steps++;
    this.#monotonicMs = completion.dueMs;
    this.#onStep?.(this.#monotonicMs, completion.label);
    const { run } = completion;
    completion.run = undefined;
    run?.();
  }

  #throwFailure(): void {
    if (!this.#failure) return;
    const { error } = this.#failure;
    this.#failure = undefined;
    throw error;
  }
}

/** Order among completions of the same time. */
function isBefore(a: Completion, b: Completion): boolean {
  if (a.tiebreak !== b.tiebreak) return a.tiebreak < b.tiebreak;
  return a.sequence < b.sequence;
}

// A turn of the event loop costs as much as a small step, so this many steps share one.
const TURNS_IN_HOP = 64;

/** Calls `turn` until it returns that it was the last. All pending promises without I/O run between two calls. */
function inTurns(turn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const take = (): void => {
      if (isOver) return;
      try {
        isOver = !turn();
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const hop = (): void => {
      take();
      if (isOver) return;
      // Node runs all promises between two immediates.
      for (let count = 1; count < TURNS_IN_HOP; count++) setImmediate(take);
      setImmediate(hop);
    };
    setImmediate(hop);
  });
}
