import type { Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";

/**
 * Which calls a fault is about. It speaks of what happens and not of step numbers, so that a scenario that is made
 * smaller still means the same. Every given field has to fit.
 */
export interface Trigger {
  /** Only the nth call that fits, from 1. */
  readonly nth?: number;
  /** At most the first so many that are hit. */
  readonly times?: number;
  /** The share of the fitting calls that is hit. */
  readonly probability?: number;
  /** `write`, `read`, `create`, `PUT` …; anything unless told. */
  readonly verb?: string;
  /** `machines`, `virtualMachineScaleSets`; anything unless told. */
  readonly resource?: string;
  /** The controller or the process. */
  readonly by?: string;
}

/** When a fault strikes that waits for no call. */
export interface Moments {
  /** Once, so long after it is switched on. */
  readonly afterMs?: number;
  /** Again and again, so far apart on average. */
  readonly everyMs?: number;
  /** At most so often. */
  readonly times?: number;
}

/** Whether the trigger speaks of this call, apart from counts and chance. */
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

/** A trigger with its memory: says for one call after the other whether it is hit. */
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
