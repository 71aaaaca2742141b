import type { Frozen, Pod } from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { DrainRefusal } from "./decide.ts";

// Beyond it, those whose time is over are forgotten: pods that went another way never ask again.
const MOST = 1000;

/** What servers have said no to and when to ask again, whoever wakes us before. */
export class Refusals {
  readonly #clock: Clock;
  readonly #held = new Map<string, { readonly why: string; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are remembered. */
  get size(): number {
    return this.#held.size;
  }

  /** Which pods may be asked to go now, and what was said about the others. */
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

  /** A server has said no, and for how long. */
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
