import type { JsonObject } from "@capstan/api";
import { objectIn, stateOf, textIn } from "./azure-reads.ts";

/** What came of a managed run command, by its instance view. */
export interface CommandResult {
  readonly isOver: boolean;
  /** Azure's word, such as Succeeded or TimedOut. */
  readonly state: string;
  readonly exitCode: string;
  readonly output: string;
  readonly error: string;
}

/** The result in the body of a run command. */
export function commandResultOf(body: JsonObject): CommandResult {
  const view = objectIn(body, "properties", "instanceView");
  const state = textIn(view, "executionState");
  const written = stateOf(body);
  const isWritten = written === "Succeeded" || written === "Failed";
  return {
    isOver: isWritten && state !== "Running" && state !== "Pending",
    state,
    exitCode: String(view["exitCode"]),
    output: textIn(view, "output"),
    error: textIn(view, "error"),
  };
}
