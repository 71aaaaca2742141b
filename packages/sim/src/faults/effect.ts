import type { FaultEffect } from "@capstan/azure-sim";
import type { Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";
import type { Reach } from "./reach.ts";

/** What goes wrong with one call. */
export type CallEffect =
  /** The process dies: before the server hears of the call, or after it has carried it out. */
  | { readonly kind: "crash"; readonly isApplied: boolean }
  /** The connection breaks: before the server hears of the call, or after it has carried it out. */
  | { readonly kind: "reset"; readonly isApplied: boolean }
  /** Another answer than the server's, without effect or after the server has carried it out. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: unknown;
      readonly isApplied: boolean;
    }
  /** Azure itself does something wrong with it. */
  | { readonly kind: "rule"; readonly rule: FaultEffect }
  /** The process stands still from here on. */
  | { readonly kind: "stall"; readonly forMs: number };

/** What goes wrong with one line of a watch. */
export type LineEffect =
  | { readonly kind: "delay"; readonly forMs: number }
  | { readonly kind: "duplicate" }
  /** Nothing more arrives for a while; then the stream says 410, and what was missed is missed. */
  | { readonly kind: "miss"; readonly forMs: number }
  /** The stream says 410; the next list comes from a server that is behind, if `isBehind`. */
  | { readonly kind: "expire"; readonly isBehind: boolean };

/** How a fault takes effect: on calls, on lines of watches, or at moments of its own. */
export type Effect =
  | {
      readonly on: "call";
      /** Which calls it can be about at all. */
      readonly fits: (call: Call) => boolean;
      readonly effect: (call: Call, rng: Rng) => CallEffect;
    }
  | { readonly on: "line"; readonly effect: (rng: Rng) => LineEffect }
  | {
      readonly on: "moment";
      /** Makes it happen; says in a few words what it did, or nothing when there was nothing to do it to. */
      readonly strike: (reach: Reach, rng: Rng) => Promise<string | undefined>;
      /** Takes back what does not pass by itself. */
      readonly heal?: (reach: Reach) => Promise<void>;
    };
