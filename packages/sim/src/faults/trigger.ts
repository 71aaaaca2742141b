import type { Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";

/**
 * Which calls a fault hits. A trigger names calls, not step numbers, so that a shortened scenario keeps its meaning. A call
 * must match every given field.
 */
export interface Trigger {
  /** Only the nth matching call, from 1. */
  readonly nth?: number;
  /** At most so many hits. */
  readonly times?: number;
  /** The share of the matching calls that it hits. */
  readonly probability?: number;
  /** `write`, `read`, `create`, `PUT` …; any unless given. */
  readonly verb?: string;
  /** `machines`, `virtualMachineScaleSets`; any unless given. */
  readonly resource?: string;
  /** The controller or the process. */
  readonly by?: string;
}

/** When a fault without calls strikes. */
export interface Moments {
  /** Once, so long after it is activated. */
  readonly afterMs?: number;
  /** Repeatedly, with this average interval. */
  readonly everyMs?: number;
  /** At most so many times. */
  readonly times?: number;
}

/** Whether the trigger matches this call, apart from counts and probability. */
function fits({ verb, resource, by }: Trigger, call: Call): boolean {
  return (
    (verb === undefined || fitsVerb(verb.toLowerCase(), call)) &&
    (resource === undefined || resource.toLowerCase() === call.resource.toLowerCase()) &&
    (by === undefined || by === call.by || by === call.process)
  );
}

function fitsVerb(verb: string, call: Call): boolean {
  if (verb === "write") return call.isWrite;
  if (verb === "read") return !call.isWrite;
  return verb === call.verb.toLowerCase();
}

/** A trigger with its counters: decides for each call whether it is hit. */
export class ArmedTrigger {
  readonly #trigger: Trigger;
  readonly #rng: Rng;
  #seen = 0;
  #hits = 0;

  constructor(trigger: Trigger, rng: Rng) {
    this.#trigger = trigger;
    this.#rng = rng;
  }

  pull(call: Call): boolean {
    const { nth, times = Infinity, probability = 1 } = this.#trigger;
    if (!fits(this.#trigger, call)) return false;
    this.#seen++;
    if (nth !== undefined && this.#seen !== nth) return false;
    if (this.#hits >= times) return false;
    if (probability < 1 && this.#rng.next() >= probability) return false;
    this.#hits++;
    return true;
  }
}
