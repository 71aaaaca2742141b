import type { Kind } from "@capstan/api";
import type { TimedClaims } from "./claims.ts";
import type { Fault } from "./fault-text.ts";
import type { FaultId } from "./fault-catalogue.ts";
import type { AppliedObject } from "./objects.ts";
import type { Position } from "./problem.ts";

/** The action of a step. */
export type Action =
  | { readonly do: "apply"; readonly cluster: string; readonly objects: readonly AppliedObject[] }
  | ({ readonly do: "patch"; readonly merge: Readonly<Record<string, unknown>> } & NamedObject)
  | ({ readonly do: "delete" } & NamedObject)
  | ({ readonly do: "createScaleSet" } & ScaleSet)
  | { readonly do: "resize"; readonly scaleSet: string; readonly to: number }
  | { readonly do: "deleteScaleSet"; readonly name: string }
  | {
      readonly do: "deploy";
      readonly name: string;
      readonly cluster: string;
      readonly replicas: number;
      readonly image: string;
      readonly budget?:
        | { readonly maxUnavailable: number | string }
        | { readonly minAvailable: number | string };
    }
  | ({ readonly do: "machine"; readonly action: MachineAction } & Machines)
  | ({ readonly do: "drain"; readonly withinMs?: number } & Machines)
  | ({ readonly do: "uncordon" } & Machines)
  | { readonly do: "wait"; readonly ms: number }
  | ({ readonly do: "until" } & TimedClaims)
  | { readonly do: "fault"; readonly fault: Fault }
  | { readonly do: "heal"; readonly faults: "all" | FaultId }
  | { readonly do: "crash" | "stall"; readonly manager: number; readonly forMs: number };

/** A step of a scenario: its action, its text and its position. */
export interface Step {
  readonly action: Action;
  readonly text: string;
  readonly at: Position;
}

/** An object of a cluster by its name. */
export interface NamedObject {
  readonly cluster: string;
  readonly kind: Kind;
  readonly name: string;
  readonly namespace?: string;
}

/** A scale set whose machines join a cluster. */
export interface ScaleSet {
  readonly name: string;
  readonly cluster: string;
  readonly instances: number;
  /** The Kubernetes version of the image, with a leading v. */
  readonly version: string;
  readonly zones: readonly string[];
  readonly size: string;
  readonly spot: boolean;
  /** How the machines join: with a token that is valid for so long, or by the given custom data. */
  readonly join: { readonly tokenTtlMs: number } | { readonly customData: string };
}

/** Machines of a scale set, by instance id, or all of them. */
export interface Machines {
  readonly scaleSet: string;
  readonly instances: "all" | readonly string[];
}

/** Actions on a machine from outside. */
export const MACHINE_ACTIONS = ["delete", "stop", "start", "restart", "reimage", "evict"] as const;

type MachineAction = (typeof MACHINE_ACTIONS)[number];
