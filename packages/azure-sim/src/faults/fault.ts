/** Which requests a fault is about; every given field has to fit. */
export interface FaultMatch {
  readonly method?: string;
  /** A part of the path, in any case. */
  readonly path?: string;
  /** The id of a resource; what is inside it counts too. */
  readonly resource?: string;
  /** The name of the operation as the journal shows it, such as `PUT virtualMachineScaleSets`. */
  readonly operation?: string;
  /** Only the nth request that fits, from 1. */
  readonly nth?: number;
  /** The first so many that fit. */
  readonly times?: number;
  /** The share of the fitting requests that is hit, by seed. */
  readonly probability?: number;
}

/** What goes wrong. */
export type FaultEffect =
  /** The request is refused, without effect. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** The answer takes longer. */
  | { readonly kind: "delay"; readonly ms: number }
  /** The request is lost on its way: no effect, no answer. */
  | { readonly kind: "drop" }
  /** The answer is lost on its way: the effect is there. */
  | { readonly kind: "lostResponse" }
  /** The long-running operation fails, and what it was to do is not done. */
  | { readonly kind: "operationFails"; readonly code: string; readonly message?: string }
  /** The long-running operation says that it failed, and yet everything is done. */
  | { readonly kind: "failedButApplied"; readonly code: string; readonly message?: string }
  /** Some of the instances fail, by seed. */
  | {
      readonly kind: "someInstancesFail";
      readonly share: number;
      readonly code: string;
      readonly message?: string;
    };

/** A rule: which requests, and what goes wrong with them. */
export interface FaultRule {
  readonly id: string;
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
}
