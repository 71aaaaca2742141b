import type { Target } from "../arm/target.ts";
import type { FaultEffect } from "../faults/fault.ts";
import type { JsonObject } from "../json.ts";
import type { Principal } from "../settings.ts";

/** A request as the core takes it from any adapter. */
export interface SimRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The address that the caller used, such as https://127.0.0.1:8443: the base of links in the answer. */
  readonly origin?: string;
  /** The caller's time, where it differs from the cloud's: tokens are checked against it. */
  readonly callerMs?: number;
}

/** A request that has passed authentication and routing. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  readonly principal: Principal;
  readonly apiVersion: string;
  readonly origin: string;
  readonly nowMs: number;
  /** The verb and resource type, such as `PUT virtualMachineScaleSets`: journal, throttling and faults match on it. */
  readonly operation: string;
  /** Facts found while the request is handled, for headers and journal. */
  readonly notes: CallNotes;
}

/** Facts about a call that its handler finds. */
export interface CallNotes {
  /** Instances counted against the per-instance budgets. */
  charge?: number;
  /** The long-running operation it started. */
  operationId?: string;
  /** Remaining tokens by policy, for x-ms-ratelimit-remaining-resource. */
  readonly remaining: [policy: string, tokens: number][];
  /** The faults that hit this call. */
  readonly faults: readonly FaultEffect[];
  /** Headers for every answer to this call. */
  readonly headers: Record<string, string>;
}
