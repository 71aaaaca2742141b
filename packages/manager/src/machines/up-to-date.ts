import type { Frozen, Machine } from "@capstan/api";
import { kubeletMismatch } from "@capstan/plan";
import type { ConditionUpdate } from "../contract/ready.ts";
import { UP_TO_DATE } from "./conditions.ts";

/** The condition UpToDate of a machine: its owner says why it is outdated, if it is, and its kubelet must have its version. */
export function upToDateCondition(machine: Frozen<Machine>, outdated: string | undefined): ConditionUpdate {
  const type = UP_TO_DATE;
  const isFalse = { type, status: "False", severity: "Info" } as const;
  if (outdated !== undefined) return { ...isFalse, reason: "NotUpToDate", message: outdated };
  const mismatch = kubeletMismatch(machine);
  if (mismatch !== undefined) return { ...isFalse, reason: "KubeletVersionDiffers", message: mismatch };
  return { type, status: "True", reason: "UpToDate" };
}
