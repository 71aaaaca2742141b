/** Which requests a fault hits; a request must match every given field. */
export interface FaultMatch {
  readonly method?: string;
  /** A part of the path, in any case. */
  readonly path?: string;
  /** The id of a resource; its children match too. */
  readonly resource?: string;
  /** The name of the operation as the journal shows it, such as `PUT virtualMachineScaleSets`. */
  readonly operation?: string;
  /** Only the nth matching request, from 1. */
  readonly nth?: number;
  /** The first so many matching requests. */
  readonly times?: number;
  /** The share of the matching requests that the fault hits, by seed. */
  readonly probability?: number;
}

/** What the fault does. */
export type FaultEffect =
  /** Refuses the request, without effect. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /** Delays the answer. */
  | { readonly kind: "delay"; readonly ms: number }
  /** Loses the request: no effect, no answer. */
  | { readonly kind: "drop" }
  /** Loses the answer: the request takes effect. */
  | { readonly kind: "lostResponse" }
  /** The long-running operation fails and changes nothing. */
  | { readonly kind: "operationFails"; readonly code: string; readonly message?: string }
  /** The long-running operation reports a failure although all its changes are made. */
  | { readonly kind: "failedButApplied"; readonly code: string; readonly message?: string }
  /** A share of the instances fails, by seed. */
  | {
      readonly kind: "someInstancesFail";
      readonly share: number;
      readonly code: string;
      readonly message?: string;
    };

/** A rule: which requests, and what the fault does to them. */
export interface FaultRule {
  readonly id: string;
  readonly match: FaultMatch;
  readonly effect: FaultEffect;
}
