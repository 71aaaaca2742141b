import { createRng, type Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";
import { CALL_EFFECTS, LINE_EFFECTS } from "./call-effects.ts";
import type { CallEffect, Effect, LineEffect } from "./effect.ts";
import { MOMENT_EFFECTS } from "./moment-effects.ts";
import { ArmedTrigger, type Moments, type Trigger } from "./trigger.ts";

/** An active fault: for the calls and watches that a trigger matches, or at moments of its own. */
export interface FaultSpec {
  /** Its name in the catalogue. */
  readonly fault: string;
  readonly when: { readonly trigger: Trigger } | { readonly moments: Moments };
}

/** Stands for all faults where the name of a fault is expected. */
export const ALL_FAULTS = "all";

/** The effect of each fault in the catalogue. */
export const EFFECTS: Readonly<Record<string, Effect>> = {
  ...CALL_EFFECTS,
  ...LINE_EFFECTS,
  ...MOMENT_EFFECTS,
};

interface Armed {
  readonly fault: string;
  readonly effect: Effect & { readonly on: "call" | "line" };
  readonly trigger: ArmedTrigger;
  readonly rng: Rng;
}

/** A fault that hits, with its effect. */
export interface Struck<E> {
  readonly fault: string;
  readonly effect: E;
}

/** The faults of calls and watches. What they hit depends only on the seed and on the matching calls. */
export class Faults {
  readonly #seed: string;
  #armed: Armed[] = [];
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  add(fault: string, effect: Armed["effect"], trigger: Trigger): void {
    const stream = `fault/${this.#count++}/${fault}`;
    this.#armed.push({
      fault,
      effect,
      rng: createRng(this.#seed, `${stream}/effect`),
      trigger: new ArmedTrigger(trigger, createRng(this.#seed, stream)),
    });
  }

  /** Deactivates a fault, or all of them. */
  remove(fault: string): void {
    this.#armed = fault === ALL_FAULTS ? [] : this.#armed.filter((one) => one.fault !== fault);
  }

  /** The effect on this call: that of the first fault that hits it. */
  onCall(call: Call): Struck<CallEffect> | undefined {
    for (const { fault, effect, trigger, rng } of this.#armed) {
      if (effect.on === "call" && effect.fits(call) && trigger.pull(call)) {
        return { fault, effect: effect.effect(call, rng) };
      }
    }
    return undefined;
  }

  /** The effect on the next event of this watch. */
  onLine(watch: Call): Struck<LineEffect> | undefined {
    for (const { fault, effect, trigger, rng } of this.#armed) {
      if (effect.on === "line" && trigger.pull(watch)) return { fault, effect: effect.effect(rng) };
    }
    return undefined;
  }
}
