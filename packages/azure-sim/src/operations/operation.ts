import type { ErrorBody } from "../arm/errors.ts";

/** A long-running operation. Rows are replaced, never changed. */
export interface Operation {
  readonly id: string;
  readonly subscription: string;
  readonly provider: string;
  readonly location: string;
  /** What it does, such as `PUT virtualMachineScaleSets`. */
  readonly name: string;
  readonly resourceId: string;
  readonly apiVersion: string;
  readonly startMs: number;
  /** When it will end, unless something comes in between. */
  readonly dueMs?: number;
  readonly endMs?: number;
  readonly status: "InProgress" | "Succeeded" | "Failed" | "Canceled";
  /** Why it failed, or why it is going to. */
  readonly error?: ErrorBody;
}
