import type { ErrorBody } from "../arm/errors.ts";

/** A long-running operation. Rows are replaced, never changed. */
export interface Operation {
  readonly id: string;
  readonly subscription: string;
  readonly provider: string;
  readonly location: string;
  /** The verb and type, such as `PUT virtualMachineScaleSets`. */
  readonly name: string;
  readonly resourceId: string;
  readonly apiVersion: string;
  readonly startMs: number;
  /** When it will end, unless another operation preempts it. */
  readonly dueMs?: number;
  readonly endMs?: number;
  readonly status: "InProgress" | "Succeeded" | "Failed" | "Canceled";
  /** Why it failed or will fail. */
  readonly error?: ErrorBody;
}
