import type { Target } from "../arm/target.ts";
import type { FaultEffect } from "../faults/fault.ts";
import type { JsonObject } from "../json.ts";
import type { Principal } from "../settings.ts";

/** A request as the core takes it, from whichever adapter. */
export interface SimRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** How the caller reached us, such as https://127.0.0.1:8443: the base of links in the answer. */
  readonly origin?: string;
  /** What time it is for the caller, where that is not the time of the cloud: what its tokens are judged by. */
  readonly callerMs?: number;
}

/** A request that has passed the front door. */
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
  /** Which resource type and verb, such as `virtualMachineScaleSets.put`: what journal, throttling and faults go by. */
  readonly operation: string;
  /** What is learned on the way and shown in headers and journal. */
  readonly notes: CallNotes;
}

/** Facts about a call that its handler finds out. */
export interface CallNotes {
  /** Instances counted against the per-instance budgets. */
  charge?: number;
  /** The long-running operation it started. */
  operationId?: string;
  /** Remaining tokens by policy, for x-ms-ratelimit-remaining-resource. */
  readonly remaining: [policy: string, tokens: number][];
  /** What is going to go wrong with this call. */
  readonly faults: readonly FaultEffect[];
  /** Headers every answer to this call carries. */
  readonly headers: Record<string, string>;
}
