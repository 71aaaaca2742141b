import type { Frozen, Operation } from "@capstan/api";
import type { AzureError, OperationStatus } from "../port.ts";
import type { Evidence } from "./evidence.ts";

/** What this pass has observed of an operation. */
export type Observed =
  | { readonly kind: "nothing" }
  | { readonly kind: "poll"; readonly status: OperationStatus }
  | { readonly kind: "pollFailed"; readonly error: AzureError }
  | { readonly kind: "absent" }
  /** `hasArrived`: the resource is as the write wants it. */
  | { readonly kind: "resource"; readonly hasArrived: boolean; readonly provisioningState: string }
  /** The evidence of a POST: one entry for a resource, or one for each instance. */
  | { readonly kind: "post"; readonly evidence: readonly Evidence[] };

/** How an operation ended. `Partial`: not for all instances. `Superseded`: the resource has changed since; decide again. */
export type OperationOutcome = "Succeeded" | "Failed" | "Preempted" | "Partial" | "Superseded";

/** What to do next, and why. */
export type Step = { readonly why: string } & (
  | { readonly do: "send" | "look" }
  | { readonly do: "poll"; readonly url: string }
  | { readonly do: "wait"; readonly retryAfterMs: number; readonly error?: AzureError }
  | { readonly do: "finish"; readonly outcome: OperationOutcome; readonly error?: AzureError }
);

// Without a Retry-After: within Azure's budget of 15 polls a minute.
const POLL_MS = 15_000;

/** After a crash, a write may not be visible yet: reads lag behind by up to ten seconds. */
export const SETTLE_MS = 30_000;

/**
 * The next step of an operation. A write is sent only after its intent is stored, it is sent again only after a read has
 * shown that it did not arrive, and a write that Azure has accepted is never sent again.
 */
export function nextStep(record: Frozen<Operation> | undefined, observed: Observed, nowMs: number): Step {
  if (!record) return { do: "send", why: "nothing is under way" };
  switch (observed.kind) {
    case "nothing":
      return record.url === undefined
        ? { do: "look", why: "the intent is there and no answer: it may have arrived" }
        : { do: "poll", url: record.url, why: "Azure has accepted it" };
    case "poll":
      return afterPoll(observed.status);
    case "pollFailed":
      return afterFailedPoll(observed.error);
    case "absent":
      return record.verb === "DELETE"
        ? { do: "finish", outcome: "Succeeded", why: "the resource is gone" }
        : unseen(record, nowMs, "the resource is not there");
    case "resource":
      return afterLook(record, observed, nowMs);
    case "post":
      return afterPost(record, observed.evidence, nowMs);
  }
}

function afterPoll(status: OperationStatus): Step {
  switch (status.state) {
    case "InProgress":
      return { do: "wait", retryAfterMs: status.retryAfterMs ?? POLL_MS, why: "Azure is working on it" };
    case "Succeeded":
      return { do: "finish", outcome: "Succeeded", why: "Azure says that it has succeeded" };
    case "Failed":
    case "Canceled": {
      const { error } = status;
      const outcome = error.class === "Preempted" ? "Preempted" : "Failed";
      return { do: "finish", outcome, error, why: `Azure says ${error.code}: ${error.message}` };
    }
  }
}

/** A failed poll says nothing about the operation. */
function afterFailedPoll(error: AzureError): Step {
  if (error.class === "Gone") {
    return { do: "look", why: "Azure has forgotten the operation: the resource shows what became of it" };
  }
  if (isFinalAnswer(error)) {
    return { do: "look", why: `the poll was answered with ${error.code}: the resource shows what it means` };
  }
  const retryAfterMs = error.retryAfterMs ?? POLL_MS;
  return { do: "wait", retryAfterMs, error, why: `the poll failed (${error.code}), not the operation` };
}

/**
 * An operation that is polled at a Location header, such as the deletion of a resource group, ends with the answer that the
 * request itself would have had, for instance 409, and repeats it on every poll.
 */
function isFinalAnswer({ class: name, status = 0 }: AzureError): boolean {
  return status >= 400 && status < 500 && status !== 408 && name !== "Throttled" && name !== "Auth";
}

function afterLook(
  record: Frozen<Operation>,
  { hasArrived, provisioningState }: Extract<Observed, { kind: "resource" }>,
  nowMs: number,
): Step {
  if (record.verb === "DELETE") {
    return provisioningState === "Deleting"
      ? { do: "wait", retryAfterMs: POLL_MS, why: "the resource is being deleted" }
      : unseen(record, nowMs, "the resource is still there");
  }
  if (!hasArrived) return unseen(record, nowMs, "the resource is not as it was wanted");
  if (isFinal(provisioningState)) {
    const outcome =
      provisioningState === "Failed" || provisioningState === "Canceled" ? "Failed" : "Succeeded";
    return {
      do: "finish",
      outcome,
      why: `the resource is as it was wanted and ${provisioningState || "done"}`,
    };
  }
  return { do: "wait", retryAfterMs: POLL_MS, why: `the resource is ${provisioningState}` };
}

function afterPost(record: Frozen<Operation>, evidence: readonly Evidence[], nowMs: number): Step {
  const total = evidence.length;
  const count = (what: Evidence): number => evidence.filter((one) => one === what).length;
  const done = count("done");
  const running = count("running");
  const of = record.instanceIDs ? " instances" : "";
  const seen = `${record.action ?? "POST"} is done for ${done} of ${total}${of}, under way for ${running}`;
  if (running > 0) return { do: "wait", retryAfterMs: POLL_MS, why: seen };
  if (done === total) return { do: "finish", outcome: "Succeeded", why: seen };
  if (done > 0) return { do: "finish", outcome: "Partial", why: seen };
  return unseen(record, nowMs, seen);
}

/** Azure shows no trace of the write. One that was accepted is not sent again: the next pass decides from what it observes. */
function unseen(record: Frozen<Operation>, nowMs: number, what: string): Step {
  if (record.url !== undefined) {
    return { do: "finish", outcome: "Superseded", why: `${what}, though it was accepted` };
  }
  const ageMs = nowMs - Date.parse(record.startedAt);
  // A wall clock that was set back must not cause a long wait.
  if (ageMs >= 0 && ageMs < SETTLE_MS) {
    return { do: "wait", retryAfterMs: SETTLE_MS - ageMs, why: `${what}, but may show up yet` };
  }
  return { do: "send", why: `${what}: the write did not arrive` };
}

/** By ARM's documentation a resource without a provisioning state is done. */
export function isFinal(provisioningState: string): boolean {
  return ["", "Succeeded", "Failed", "Canceled"].includes(provisioningState);
}
