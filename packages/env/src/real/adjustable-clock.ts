import { type Clock, sleepWith, type Timer } from "../clock.ts";
import type { Env } from "../env.ts";
import { Heap } from "../virtual/heap.ts";

/** A moment on two clocks, and how fast one goes by the other: all there is to keep of an adjustable clock. */
export interface ClockAnchor {
  /** The moment on the clock underneath, in milliseconds since the epoch. */
  readonly wallMs: number;
  /** The same moment on the adjustable clock. */
  readonly simMs: number;
  /** How many times as fast as the clock underneath it goes from then on. */
  readonly speed: number;
}

/** How an adjustable clock starts. */
export interface AdjustableClockOptions {
  /** Where it stands; with the clock underneath and as fast unless told. */
  readonly anchor?: ClockAnchor;
  /** Keeps each new anchor before it holds; when it throws, nothing changes. */
  readonly keep?: (anchor: ClockAnchor) => void;
}

// Timers of a real machine are true to a millisecond: faster than this, one of them would be off by more than 10 s.
const FASTEST = 10_000;
// Nothing can wait for less than a microsecond; what is left below that comes from rounding.
const ROUNDING_MS = 0.001;
// So many timers that were taken back may wait in the heap for their time, or as many as there are others.
const MOST_CANCELLED = 1000;

/** Why a number can be no speed, as the end of a sentence; undefined when it can. */
export function speedProblem(speed: unknown): string | undefined {
  if (typeof speed === "number" && speed > 0 && speed <= FASTEST) return undefined;
  const shown = typeof speed === "number" ? String(speed) : JSON.stringify(speed);
  return `is ${shown}; expected a number above 0 and up to ${FASTEST}`;
}

/** The same environment in the time of another clock. */
export function withClock(env: Env, clock: Clock): Env {
  return { clock, rng: (stream) => env.rng(stream), uuid: () => env.uuid() };
}

interface Waiting {
  /** On the monotonic time of the adjustable clock. */
  readonly dueMs: number;
  readonly sequence: number;
  /** Undefined once it has run or was taken back. */
  run: (() => void) | undefined;
}

/**
 * A clock that goes faster or slower than the one underneath and can skip time.
 *
 * `now` follows from the clock underneath and the anchor alone. A process that is killed and starts again with the
 * same anchor is therefore never behind what it wrote: time has gone on at its speed while nothing ran.
 */
export class AdjustableClock implements Clock {
  /** The clock underneath: the time of everybody who does not live in this one. */
  readonly base: Clock;
  readonly #keep: AdjustableClockOptions["keep"];
  #anchor: ClockAnchor;
  /** The monotonic times, underneath and here, when the speed changed last. */
  #changedBaseMs: number;
  #changedMs = 0;
  /** A timer that has fired proves that its time has come, whatever rounding says. */
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

  /** Goes at another speed from now on. */
  setSpeed(speed: number): void {
    checkSpeed(speed);
    if (speed === this.speed) return;
    const wallMs = this.base.now();
    this.#change({ wallMs, simMs: simMsAt(this.#anchor, wallMs), speed }, 0);
  }

  /** Skips time: timers that are due in it fire at once, one after the other in the order of their time. */
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

  /** Has the clock underneath wake us for the first timer, unless it does so already. */
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

  /** Lets one timer fire. The next waits for its own turn, so that the promises which this one releases run before it. */
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
    // Before the callback, which may throw.
    this.#arm();
    run?.();
  }

  #baseMsUntil({ dueMs }: Waiting): number {
    return (dueMs - this.monotonic()) / this.speed;
  }

  /** The first timer that was not taken back; it stays in the heap. */
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

/** The time on the adjustable clock at a moment of the clock underneath, in whole milliseconds. */
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
