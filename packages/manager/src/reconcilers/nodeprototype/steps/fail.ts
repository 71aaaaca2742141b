import { again, type Outcome } from "@capstan/runtime";
import { AzureError, type AzureErrorClass, failureOf } from "@capstan/azure";
import { hasDonor, isOverdue } from "@capstan/plan";
import { moveTo, recordOf, type Scope } from "../scope.ts";

const RETRY_MS = 15_000;
// A status has room for a sentence or two.
const MOST_LETTERS = 500;

/** Errors of Azure that pass by themselves, or that another pass sees differently. */
const PASSING: ReadonlySet<AzureErrorClass> = new Set<AzureErrorClass>([
  "Throttled",
  "Conflict",
  "Preempted",
  "Precondition",
  "Transient",
]);

/** Whether an error of Azure passes by itself. */
export function passes(error: AzureError): boolean {
  return PASSING.has(error.class);
}

/** Ends a renewal that cannot succeed: the donor is brought back first, if there is one. */
export async function failRenewal(scope: Scope, code: string, why: string): Promise<Outcome> {
  const record = recordOf(scope);
  const message = why.slice(0, MOST_LETTERS);
  const lastError = { step: record.phase, code, message };
  const to = hasDonor(record) ? "Restoring" : "Aborting";
  await moveTo(scope, to, { lastError, ...(to === "Restoring" && { succeeded: false }) });
  scope.context.event({ type: "Warning", reason: "PrototypeFailed", message: `${record.phase}: ${message}` });
  return again(0, to);
}

/** Decides what an error in a step means: it is retried, or it ends the renewal. */
export async function afterError(scope: Scope, error: unknown): Promise<Outcome> {
  if (!(error instanceof AzureError)) throw error;
  const { phase } = recordOf(scope);
  const isFinal =
    phase === "Restoring" || phase === "Aborting" || phase === "Idle" || phase === "RollingBack";
  if (isFinal) throw failureOf(error, `renewing the image (${phase})`);
  if (!passes(error)) return failRenewal(scope, error.code, error.message);
  scope.note = { reason: phase, why: error.message };
  return again(error.retryAfterMs ?? RETRY_MS, phase);
}

/** Ends a renewal whose current step has taken too long. */
export async function afterDeadline(scope: Scope): Promise<Outcome | undefined> {
  const record = recordOf(scope);
  const isBounded = hasDonor(record) && record.phase !== "Restoring";
  if (!isBounded || !isOverdue(record, scope.context.env.clock.now())) return undefined;
  return failRenewal(
    scope,
    "TimedOut",
    `the step ${record.phase} was not done by ${record.phaseDeadline ?? ""}`,
  );
}
