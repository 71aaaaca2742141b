/** The Ready condition of Azure Service Operator: what it says for each state and each error of Azure. Pure. */
import { type AsoCondition, formatTimestamp, type Frozen } from "@capstan/api";

/** A Ready condition without its times. */
export interface AsoReady {
  readonly status: AsoCondition["status"];
  readonly severity?: "Error" | "Warning" | "Info";
  readonly reason: string;
  readonly message?: string;
}

/** When to try again after an error: with backoff, with long backoff, at the next resync, or after a change. */
export type RetryPace = "fast" | "slow" | "verySlow" | "never";

const FAST = [
  "AnotherOperationInProgress",
  "Conflict",
  "OperationNotAllowed", // AKS says this while another operation runs
  "AuthorizationFailed", // role assignments take a while
  "LinkedAuthorizationFailed",
  "AllocationFailed", // there may be capacity later
  "CustomKubeletIdentityMissingPermissionError",
  "ResourceGroupNotFound",
  "ResourceNotFound",
  "ParentResourceNotFound",
  "SubnetNotFound",
  "SubscriptionNotRegistered",
];
const SLOW = [
  "ResourceQuotaExceeded",
  "QuotaExceeded",
  "RequestDisallowedByPolicy",
  "NodePoolMcVersionIncompatible",
];
const VERY_SLOW = ["BadRequest", "InvalidParameter", "SkuNotAvailable", "ScopeLocked"];
const FATAL = [
  "InvalidTemplate",
  "InvalidRequestContent",
  "K8sVersionNotSupported",
  "LocationRequired",
  "MissingRequiredParameter",
  "PropertyChangeNotAllowed",
  "InvalidResourceLocation",
];

/** The pace for an error of Azure, by its code. */
export function paceOf(code: string, status: number | undefined): RetryPace {
  if (FATAL.includes(code)) return "never";
  if (VERY_SLOW.includes(code)) return "verySlow";
  if (FAST.includes(code) || status === 409 || status === 429) return "fast";
  if (SLOW.includes(code)) return "slow";
  return status === 400 ? "verySlow" : "slow";
}

/** The condition for an error of Azure. */
export function readyForError(code: string, message: string, pace: RetryPace): AsoReady {
  return { status: "False", severity: pace === "never" ? "Error" : "Warning", reason: code, message };
}

/** The list of conditions with this one; the same list when nothing changed. */
export function withReady(
  conditions: readonly Frozen<AsoCondition>[],
  ready: AsoReady,
  { generation, nowMs }: { readonly generation: number | undefined; readonly nowMs: number },
): AsoCondition[] {
  const before = conditions.find(({ type }) => type === "Ready");
  const others = conditions.filter(({ type }) => type !== "Ready").map((condition) => ({ ...condition }));
  const isSame =
    before?.status === ready.status && before.reason === ready.reason && before.severity === ready.severity;
  return [
    ...others,
    {
      type: "Ready",
      status: ready.status,
      reason: ready.reason,
      ...(ready.severity !== undefined && { severity: ready.severity }),
      ...(ready.message !== undefined && { message: ready.message }),
      ...(generation !== undefined && { observedGeneration: generation }),
      lastTransitionTime: isSame ? before.lastTransitionTime : formatTimestamp(nowMs),
    },
  ];
}
