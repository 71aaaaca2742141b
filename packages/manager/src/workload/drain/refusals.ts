import type { Frozen, Pod } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { DrainRefusal } from "./decide.ts";

// At this size, expired refusals are dropped: a pod that was deleted otherwise never returns.
const MOST = 1000;

/** Refused evictions and when to retry them, however often the machine is enqueued before. */
export class Refusals {
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly why: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The number of stored refusals. */
  get size(): number {
    return this.#held.size;
  }

  /** Separates the pods that may be evicted now from those with a refusal. */
  sort(pods: readonly Frozen<Pod>[]): {
    readonly due: readonly Frozen<Pod>[];
    readonly held: readonly DrainRefusal[];
  } {
    const nowMs = this.#clock.monotonic();
    const known = pods.map((pod) => ({ pod, held: this.#held.get(keyOf(pod)) }));
    const isHeld = (untilMs: number | undefined): boolean => untilMs !== undefined && untilMs > nowMs;
    return {
      due: known.filter(({ held }) => !isHeld(held?.untilMs)).map(({ pod }) => pod),
      held: known.flatMap(({ pod, held }) =>
        held && isHeld(held.untilMs) ? [{ pod, why: held.why, retryAfterMs: held.untilMs - nowMs }] : [],
      ),
    };
  }

  /** Stores the refusal of a server and its Retry-After. */
  note({ pod, why, retryAfterMs = 0 }: DrainRefusal): void {
    const nowMs = this.#clock.monotonic();
    if (this.#held.size > MOST) {
      for (const [key, { untilMs }] of this.#held) if (untilMs <= nowMs) this.#held.delete(key);
    }
    if (retryAfterMs > 0) this.#held.set(keyOf(pod), { why, untilMs: nowMs + retryAfterMs });
  }
}

function keyOf({ metadata: { uid, namespace = "", name } }: Frozen<Pod>): string {
  return uid ?? `${namespace}/${name}`;
}
