import type { Claims } from "./claims.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { ScenarioWorld } from "./scenario-world.ts";
import type { Step } from "./step.ts";

/** A scenario: its steps, and the expectations at its end. */
export interface Scenario {
  readonly name: string;
  readonly description?: string;
  /** The file it was read from. */
  readonly file: string;
  /** Seeds all randomness, unless the command line gives a seed. */
  readonly seed: string;
  /** The virtual time after which the run fails. */
  readonly limitMs: number;
  readonly world: ScenarioWorld;
  /** Active from the first step, unless the command line gives others. */
  readonly faults: FaultPlan;
  readonly steps: readonly Step[];
  readonly expect: readonly Claims[];
}
