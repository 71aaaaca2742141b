import { type Clock, sleepWith, type Timer } from "../clock.ts";
import type { Env } from "../env.ts";
import { Heap } from "../virtual/heap.ts";

/** A moment on two clocks, and the speed of one relative to the other: the whole state of an adjustable clock. */
export interface ClockAnchor {
  /** The moment on the base clock, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** The same moment on the adjustable clock. */
  readonly simMs: number;
  /** Its speed relative to the base clock from then on. */
  readonly speed: number;
}

/** How an adjustable clock starts. */
export interface AdjustableClockOptions {
  /** Its initial state. Default: the time and speed of the base clock. */
  readonly anchor?: ClockAnchor;
  /** Persists each new anchor before it takes effect; if it throws, nothing changes. */
  readonly keep?: (anchor: ClockAnchor) => void;
}

// Timers of a real machine are accurate to a millisecond: at a higher speed, a timer would be off by more than 10 s.
const FASTEST = 10_000;
// Timers are no more precise than a microsecond; a smaller remainder is a rounding error.
const ROUNDING_MS = 0.001;
// The heap may contain this many cancelled timers, or as many as active ones if that is more.
const MOST_CANCELLED = 1000;

/** Why a number is not a valid speed, as the end of a sentence; undefined if it is valid. */
export function speedProblem(speed: unknown): string | undefined {
  if (typeof speed === "number" && speed > 0 && speed <= FASTEST) return undefined;
  const shown = typeof speed === "number" ? String(speed) : JSON.stringify(speed);
  return `is ${shown}; expected a number above 0 and up to ${FASTEST}`;
}

/** The same environment with another clock. */
export function withClock(env: Env, clock: Clock): Env {
  return { clock, rng: (stream) => env.rng(stream), uuid: () => env.uuid() };
}

/** The clock that processes outside of this program follow: however fast its own clock is, they take their time. */
export function clockOfOthers(clock: Clock): Clock {
  return clock instanceof AdjustableClock ? clock.base : clock;
}

interface Waiting {
  /** On the monotonic time of the adjustable clock. */
  readonly dueMs: number;
  readonly sequence: number;
  /** Undefined after it has run or was cancelled. */
  run: (() => void) | undefined;
}

/**
 * A clock that runs faster or slower than its base clock and can skip time.
 *
 * `now` depends only on the base clock and the anchor. A process that is killed and restarts with the same anchor is
 * therefore never behind its own writes: its time has passed at its speed meanwhile.
 */
export class AdjustableClock implements Clock {
  /** The base clock, which everything outside of this clock's users follows. */
  readonly base: Clock;
  readonly #keep: AdjustableClockOptions["keep"];
  #anchor: ClockAnchor;
  /** The monotonic times of both clocks at the last change of the speed. */
  #changedBaseMs: number;
  #changedMs = 0;
  /** A timer that has fired proves that its time has come, even if rounding suggests otherwise. */
  #reachedMs = 0;
  #timers = new Heap<Waiting>(isBefore);
  #cancelled = 0;
  #sequence = 0;
  #armed: { readonly waiting: Waiting; readonly timer: Timer } | undefined;

  constructor(base: Clock, { anchor, keep }: AdjustableClockOptions = {}) {
    const nowMs = base.now();
    this.base = base;
    this.#keep = keep;
    this.#anchor = anchor ?? { wallMs: nowMs, simMs: nowMs, speed: 1 };
    this.#changedBaseMs = base.monotonic();
    checkSpeed(this.#anchor.speed);
  }

  get anchor(): ClockAnchor {
    return this.#anchor;
  }

  get speed(): number {
    return this.#anchor.speed;
  }

  now(): number {
    return simMsAt(this.#anchor, this.base.now());
  }

  monotonic(): number {
    const elapsedMs = (this.base.monotonic() - this.#changedBaseMs) * this.speed;
    return Math.max(this.#reachedMs, this.#changedMs + elapsedMs);
  }

  timer(delayMs: number, callback: () => void): Timer {
    const dueMs = this.monotonic() + Math.max(0, delayMs);
    const waiting: Waiting = { dueMs, sequence: this.#sequence++, run: callback };
    this.#timers.push(waiting);
    this.#arm();
    return { cancel: () => this.#cancel(waiting) };
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return sleepWith((ms, callback) => this.timer(ms, callback), delayMs, signal);
  }

  /** Changes the speed from now on. */
  setSpeed(speed: number): void {
    checkSpeed(speed);
    if (speed === this.speed) return;
    const wallMs = this.base.now();
    this.#change({ wallMs, simMs: simMsAt(this.#anchor, wallMs), speed }, 0);
  }

  /** Skips time: timers that are due in it fire at once, one by one in order. */
  advance(byMs: number): void {
    if (!(byMs >= 0 && byMs < Infinity))
      throw new RangeError(`advance(${byMs}): expected milliseconds, 0 or more`);
    this.#change({ ...this.#anchor, simMs: this.#anchor.simMs + byMs }, byMs);
  }

  #change(anchor: ClockAnchor, skippedMs: number): void {
    const baseMs = this.base.monotonic();
    const changedMs = this.monotonic() + skippedMs;
    this.#keep?.(anchor);
    this.#anchor = anchor;
    this.#changedBaseMs = baseMs;
    this.#changedMs = changedMs;
    this.#disarm();
    this.#arm();
  }

  /** Sets a timer on the base clock for the first timer, unless it is set already. */
  #arm(): void {
    const waiting = this.#first();
    if (waiting === this.#armed?.waiting) return;
    this.#disarm();
    if (!waiting) return;
    const timer = this.base.timer(this.#baseMsUntil(waiting), () => this.#wake());
    this.#armed = { waiting, timer };
  }

  #disarm(): void {
    this.#armed?.timer.cancel();
    this.#armed = undefined;
  }

  /** Fires one timer. The next waits for its own turn, so that the promises which this one resolves run before it. */
  #wake(): void {
    this.#armed = undefined;
    const first = this.#first();
    const isDue = first !== undefined && this.#baseMsUntil(first) < ROUNDING_MS;
    const run = isDue ? first.run : undefined;
    if (isDue) {
      this.#timers.pop();
      first.run = undefined;
      this.#reachedMs = Math.max(this.#reachedMs, first.dueMs);
    }
    // Before the callback, because the callback may throw.
    this.#arm();
    run?.();
  }

  #baseMsUntil({ dueMs }: Waiting): number {
    return (dueMs - this.monotonic()) / this.speed;
  }

  /** The first timer that was not cancelled; it stays in the heap. */
  #first(): Waiting | undefined {
    for (let first = this.#timers.peek(); first; first = this.#timers.peek()) {
      if (first.run) return first;
      this.#timers.pop();
      this.#cancelled--;
    }
    return undefined;
  }

  #cancel(waiting: Waiting): void {
    if (!waiting.run) return;
    waiting.run = undefined;
    this.#cancelled++;
    if (this.#cancelled > Math.max(MOST_CANCELLED, this.#timers.size / 2)) this.#forgetCancelled();
    this.#arm();
  }

  #forgetCancelled(): void {
    const kept = new Heap<Waiting>(isBefore);
    for (let one = this.#timers.pop(); one; one = this.#timers.pop()) if (one.run) kept.push(one);
    this.#timers = kept;
    this.#cancelled = 0;
  }
}

/** The time on the adjustable clock at a time of the base clock, in whole milliseconds. */
function simMsAt({ wallMs, simMs, speed }: ClockAnchor, baseMs: number): number {
  return Math.floor(simMs + (baseMs - wallMs) * speed);
}

function checkSpeed(speed: number): void {
  const problem = speedProblem(speed);
  if (problem !== undefined) throw new RangeError(`speed ${problem}`);
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.dueMs !== b.dueMs ? a.dueMs < b.dueMs : a.sequence < b.sequence;
}
