import { createRng, type Env, type Rng, type Timer } from "@capstan/env";
import type { Effect } from "../faults/effect.ts";
import { ALL_FAULTS } from "../faults/faults.ts";
import type { Reach } from "../faults/reach.ts";
import type { Moments } from "../faults/trigger.ts";
import type { Trace } from "../trace/trace.ts";

/** The options of a storm. */
export interface StormOptions {
  readonly env: Env;
  readonly seed: string;
  readonly trace: Trace;
  readonly reach: () => Reach;
  /** Runs after each fault that struck. */
  readonly struck: () => void;
}

type MomentEffect = Effect & { readonly on: "moment" };

/** A fault at moments of its own. */
interface Cloud {
  readonly fault: string;
  readonly effect: MomentEffect;
  readonly moments: Moments;
  readonly rng: Rng;
  struck: number;
  timer?: Timer;
}

/** Carries out the faults without calls, at moments that the seed chooses, until they are healed. */
export class Storm {
  readonly #options: StormOptions;
  #clouds: Cloud[] = [];
  #count = 0;

  constructor(options: StormOptions) {
    this.#options = options;
  }

  add(fault: string, effect: MomentEffect, moments: Moments): void {
    const rng = createRng(this.#options.seed, `storm/${this.#count++}/${fault}`);
    const cloud: Cloud = { fault, effect, moments, rng, struck: 0 };
    this.#clouds.push(cloud);
    this.#wait(cloud);
  }

  /** Deactivates a fault, or all of them, and undoes effects that do not end by themselves. */
  async heal(fault: string): Promise<void> {
    const healed = this.#clouds.filter((cloud) => fault === ALL_FAULTS || cloud.fault === fault);
    this.#clouds = this.#clouds.filter((cloud) => !healed.includes(cloud));
    for (const { timer, effect } of healed) {
      timer?.cancel();
      await effect.heal?.(this.#options.reach());
    }
  }

  #wait(cloud: Cloud): void {
    const { afterMs, everyMs, times = afterMs === undefined ? Infinity : 1 } = cloud.moments;
    if (cloud.struck >= times) return;
    // Between half and one and a half times the average: runs differ, and none goes long without a strike.
    const pauseMs = afterMs ?? (everyMs ?? 0) * (0.5 + cloud.rng.next());
    cloud.timer = this.#options.env.clock.timer(pauseMs, () => {
      cloud.struck++;
      void this.#strike(cloud).then(() => {
        if (this.#clouds.includes(cloud)) this.#wait(cloud);
      });
    });
  }

  async #strike({ fault, effect, rng }: Cloud): Promise<void> {
    const { reach, struck, trace } = this.#options;
    const text = await effect.strike(reach(), rng);
    struck();
    if (text !== undefined) trace.record("world", { kind: "fault", fault, text });
  }
}
