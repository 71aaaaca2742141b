import type { FaultEffect } from "@capstan/azure-sim";
import type { Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";
import type { Reach } from "./reach.ts";

/** What a fault does to one call. */
export type CallEffect =
  /** The process crashes: before the server gets the call, or after the server has carried it out. */
  | { readonly kind: "crash"; readonly isApplied: boolean }
  /** The connection breaks: before the server gets the call, or after the server has carried it out. */
  | { readonly kind: "reset"; readonly isApplied: boolean }
  /** A response in place of the server's, without effect or after the server has carried out the call. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: unknown;
      readonly isApplied: boolean;
    }
  /** Azure itself fails the call by a fault rule. */
  | { readonly kind: "rule"; readonly rule: FaultEffect }
  /** The process is paused from here on. */
  | { readonly kind: "stall"; readonly forMs: number };

/** What a fault does to one event of a watch. */
export type LineEffect =
  | { readonly kind: "delay"; readonly forMs: number }
  | { readonly kind: "duplicate" }
  /** No event arrives for a while; then the stream returns 410, and the missed events are lost. */
  | { readonly kind: "miss"; readonly forMs: number }
  /** The stream returns 410; with `isBehind`, the next list comes from a server that lags behind. */
  | { readonly kind: "expire"; readonly isBehind: boolean };

/** How a fault takes effect: on calls, on events of watches, or at moments of its own. */
export type Effect =
  | {
      readonly on: "call";
      /** The calls that it can hit. */
      readonly fits: (call: Call) => boolean;
      readonly effect: (call: Call, rng: Rng) => CallEffect;
    }
  | { readonly on: "line"; readonly effect: (rng: Rng) => LineEffect }
  | {
      readonly on: "moment";
      /** Carries out the fault; returns what it did, or undefined when it found no target. */
      readonly strike: (reach: Reach, rng: Rng) => Promise<string | undefined>;
      /** Undoes effects that do not end by themselves. */
      readonly heal?: (reach: Reach) => Promise<void>;
    };
