import type { Condition } from "@capstan/api";
import { Failure, type FailureClass } from "../failure.ts";
import type { Context } from "./reconciler.ts";

/** The severity of a condition for each class of failure. */
const SEVERITIES: Readonly<Record<FailureClass, "Error" | "Warning" | "Info">> = {
  Terminal: "Error", // a user must change something
  Waiting: "Info", // normal: an operation runs
  Transient: "Warning", // may pass by itself
  Conflict: "Warning", // another client was faster; the next pass reads again
  NotFound: "Warning", // the object is gone; the next pass reads again
};

/** The condition that a failure leads to. */
export function failedCondition(
  type: string,
  { failure, reason, message }: Pick<Failure, "failure" | "reason" | "message">,
): Omit<Condition, "lastTransitionTime"> & { readonly reason: string } {
  return { type, status: "False", severity: SEVERITIES[failure], reason, message };
}

/** Sets the condition that explains a failure, and returns the error for the caller to throw. */
export function explainedBy(
  { setCondition }: Pick<Context<never>, "setCondition">,
  type: string,
  error: unknown,
): unknown {
  if (error instanceof Failure) setCondition(failedCondition(type, error));
  return error;
}
