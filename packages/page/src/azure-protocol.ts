import type { Row } from "./protocol.ts";

/** The lists of the simulated Azure. */
export const AZURE_LISTS = ["resources", "machines", "requests"] as const;

/** One of them. */
export type AzureList = (typeof AZURE_LISTS)[number];

/** The simulated Azure beside one of its lists. */
export interface AzureHead {
  readonly list: AzureList;
  /** How many times faster than the browser's its clock runs. */
  readonly speed: number;
  readonly seed: string;
  readonly counts: Readonly<Record<AzureList, number>>;
  /** Requests left in each budget that any was taken from, the emptiest first. */
  readonly budgets: readonly { readonly name: string; readonly left: number; readonly capacity: number }[];
  readonly faults: readonly string[];
  /** The commands that print the same in a terminal, or change the clock. */
  readonly commands: readonly string[];
}

/** A resource; those inside of another follow it. */
export interface AzureResourceRow extends Row {
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly group: string;
  readonly state: string;
  /** The operation that runs on it. */
  readonly operation?: { readonly name: string; readonly dueMs: number };
}

/** A virtual machine, or an instance of a scale set. */
export interface AzureMachineRow extends Row {
  readonly name: string;
  /** The scale set of an instance. */
  readonly set: string;
  readonly group: string;
  readonly state: string;
  readonly power: string;
  /** Whether an instance has the newest model of its scale set. */
  readonly isLatest?: boolean;
}

/** A request that was answered, the newest first. */
export interface AzureRequestRow extends Row {
  readonly atMs: number;
  /** Its method and the type of its resource. */
  readonly operation: string;
  readonly status: number;
  readonly code: string;
  /** The path below the subscription. */
  readonly path: string;
}
