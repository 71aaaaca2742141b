import type { Claims } from "./claims.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { ScenarioWorld } from "./scenario-world.ts";
import type { Step } from "./step.ts";

/** What happens to a world, one step after the other, and what must be true at the end. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  /** Where it was read from. */
  readonly file: string;
  /** Decides everything that is random, unless the command line gives another. */
  readonly seed: string;
  /** Virtual time after which the run has failed. */
  readonly limitMs: number;
  readonly world: ScenarioWorld;
  /** On from the first step, unless the command line gives others. */
  readonly faults: FaultPlan;
  readonly steps: readonly Step[];
  readonly expect: readonly Claims[];
}
