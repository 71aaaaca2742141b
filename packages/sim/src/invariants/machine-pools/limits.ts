import { LONGEST_DELAY_SECONDS } from "../../faults/call-effects.ts";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Truth } from "../../world/truth.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

/** The fewest available machines that a pool may have, and the most machines in total. */
export interface Limits {
  readonly floor: number;
  readonly ceiling: number;
}

interface History {
  current: Limits;
  readonly past: { readonly limits: Limits; readonly untilMs: number }[];
}

/** A controller acts on a spec that it read a moment before; the spec may have changed since. One second is for the pass. */
const READ_AGE_MS = (LONGEST_DELAY_SECONDS + 1) * 1000;

/** The limits of pool specs, now and until a moment ago. */
export class LimitLookup {
  readonly #truth: Truth;
  readonly #poolLookup: PoolLookup;
  readonly #histories = new Map<string, History>();

  constructor(truth: Truth) {
    this.#truth = truth;
    this.#poolLookup = new PoolLookup(truth);
  }

  /** Records new limits after a write that may have changed a spec. */
  happened({ happening }: TraceEvent): void {
    if (happening.kind !== "write" || happening.cluster !== "management") return;
    if (!/^(azure)?machinepools$/.test(happening.resource)) return;
    for (const record of this.#poolLookup.pools()) this.#note(record);
  }

  /** The widest limits for a controller that read the spec shortly before a moment, or later. */
  since(record: PoolRecord, atMs: number): Limits {
    const { current, past } = this.#note(record);
    const read = past.filter(({ untilMs }) => untilMs >= atMs - READ_AGE_MS).map(({ limits }) => limits);
    return {
      floor: Math.min(current.floor, ...read.map(({ floor }) => floor)),
      ceiling: Math.max(current.ceiling, ...read.map(({ ceiling }) => ceiling)),
    };
  }

  #note(record: PoolRecord): History {
    const key = `${record.pool.metadata.namespace}/${record.pool.metadata.name}`;
    const { desired, maxSurge, maxUnavailable } = record;
    const limits = { floor: desired - maxUnavailable, ceiling: desired + maxSurge };
    const history = this.#histories.get(key) ?? { current: limits, past: [] };
    const { current } = history;
    if (current.floor !== limits.floor || current.ceiling !== limits.ceiling) {
      history.past.push({ limits: current, untilMs: this.#truth.nowMs });
      history.current = limits;
    }
    this.#histories.set(key, history);
    return history;
  }
}
