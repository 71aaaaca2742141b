import type { StoredObject } from "../storage/storage.ts";
import { at } from "./column.ts";

const COMPLETED: Readonly<Record<string, readonly object[]>> = {
  Succeeded: [
    {
      type: "Completed",
      status: "True",
      reason: "Succeeded",
      message: "The pod has completed successfully.",
    },
  ],
  Failed: [{ type: "Completed", status: "True", reason: "Failed", message: "The pod failed." }],
};

/** The conditions of a row: that a pod has ended, so that clients may hide it. */
export function rowConditions(object: StoredObject): readonly object[] | undefined {
  if (object.kind !== "Pod" || object.apiVersion !== "v1") return undefined;
  const phase = at(object, "status", "phase");
  return phase === "Succeeded" || phase === "Failed" ? COMPLETED[phase] : undefined;
}
