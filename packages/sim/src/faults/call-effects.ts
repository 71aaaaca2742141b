import type { Rng } from "@capstan/env";
import type { Call } from "../world/call.ts";
import { isBookkeeping } from "../world/truth.ts";
import type { CallEffect, Effect } from "./effect.ts";

const SECOND_MS = 1000;

const isAzure = ({ api }: Call): boolean => api === "arm";
const isKube = ({ api }: Call): boolean => api === "kube";
/** Lease renewals are a fault of their own: to hit them by chance would hide the other faults. */
const isWork = ({ resource, isWrite }: Call): boolean => isWrite && !isBookkeeping(resource);
const isKubeWrite = (call: Call): boolean => isKube(call) && isWork(call);
const isArmWrite = (call: Call): boolean => isAzure(call) && call.isWrite;
const isPoll = ({ api, resource }: Call): boolean =>
  api === "arm" && resource.toLowerCase() === "locations/operations";

/** An error response of a Kubernetes API. */
function kubeError(
  status: number,
  reason: string,
  details: object = {},
): (call: Call) => CallEffect & { readonly kind: "answer" } {
  return ({ resource, name }) => ({
    kind: "answer",
    status,
    body: {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason,
      code: status,
      message: `${resource} "${name}": a simulated ${reason}`,
      details: { name, kind: resource, ...details },
    },
    isApplied: false,
  });
}

/** An error response of Azure Resource Manager. */
function armError(status: number, code: string, headers: Readonly<Record<string, string>> = {}): CallEffect {
  const error = { code, message: `The simulated fault '${code}' was switched on for this request.` };
  return { kind: "answer", status, headers, body: { error }, isApplied: false };
}

const reset = (isApplied: boolean) => (): CallEffect => ({ kind: "reset", isApplied });
const crash = (isApplied: boolean) => (): CallEffect => ({ kind: "crash", isApplied });
const secondsBetween = (rng: Rng, least: number, most: number): number => least + rng.below(most - least + 1);

/** Faults of single calls, by name in the catalogue. */
export const CALL_EFFECTS: Readonly<Record<string, Effect>> = {
  "crash-before-write": { on: "call", fits: isWork, effect: crash(false) },
  "crash-after-write": { on: "call", fits: isWork, effect: crash(true) },
  "crash-at-start": { on: "call", fits: ({ verb }) => verb === "list", effect: crash(false) },
  stall: {
    on: "call",
    fits: isWork,
    effect: (_, rng) => ({ kind: "stall", forMs: secondsBetween(rng, 5, 60) * SECOND_MS }),
  },
  // Longer than a Lease lives without renewal, so another manager has taken over when this one resumes.
  "two-leaders": {
    on: "call",
    fits: isWork,
    effect: (_, rng) => ({ kind: "stall", forMs: secondsBetween(rng, 20, 90) * SECOND_MS }),
  },
  "kube-conflict": {
    on: "call",
    fits: (call) => isKubeWrite(call) && (call.verb === "update" || call.verb === "patch"),
    effect: kubeError(409, "Conflict"),
  },
  "kube-already-exists": {
    on: "call",
    fits: (call) => isKubeWrite(call) && call.verb === "create" && call.subresource === undefined,
    effect: kubeError(409, "AlreadyExists"),
  },
  "kube-not-found": {
    on: "call",
    fits: (call) => isKubeWrite(call) && call.verb !== "create",
    effect: kubeError(404, "NotFound"),
  },
  "kube-forbidden": { on: "call", fits: isKubeWrite, effect: kubeError(403, "Forbidden") },
  "kube-refused": { on: "call", fits: isKubeWrite, effect: kubeError(422, "Invalid") },
  "kube-throttled": {
    on: "call",
    fits: isKubeWrite,
    effect: (call, rng) => {
      const retryAfterSeconds = secondsBetween(rng, 1, 30);
      const headers = { "retry-after": String(retryAfterSeconds) };
      return { ...kubeError(429, "TooManyRequests", { retryAfterSeconds })(call), headers };
    },
  },
  "kube-unavailable": {
    on: "call",
    fits: isKube,
    effect: (call, rng) =>
      rng.below(2) === 0 ? kubeError(503, "ServiceUnavailable")(call) : kubeError(500, "InternalError")(call),
  },
  "kube-timeout-applied": {
    on: "call",
    fits: isKubeWrite,
    effect: (call) => ({ ...kubeError(504, "Timeout")(call), isApplied: true }),
  },
  "kube-reset": { on: "call", fits: isKube, effect: (_, rng) => reset(rng.below(2) === 0)() },
  "arm-throttled": { on: "call", fits: isAzure, effect: (_, rng) => throttled(rng) },
  "arm-unavailable": {
    on: "call",
    fits: isAzure,
    effect: (_, rng) => {
      const [status, code] = rng.pick([
        [500, "InternalServerError"],
        [502, "BadGateway"],
        [503, "ServiceUnavailable"],
        [504, "GatewayTimeout"],
      ] as const);
      return armError(status, code);
    },
  },
  "arm-timeout": { on: "call", fits: isArmWrite, effect: reset(false) },
  "arm-timeout-applied": { on: "call", fits: isArmWrite, effect: reset(true) },
  "arm-conflict": {
    on: "call",
    fits: isArmWrite,
    effect: () => armError(409, "AnotherOperationInProgress"),
  },
  "arm-precondition": {
    on: "call",
    fits: isArmWrite,
    effect: () => armError(412, "PreconditionFailed"),
  },
  "arm-unauthorized": {
    on: "call",
    fits: isAzure,
    effect: () => armError(401, "ExpiredAuthenticationToken"),
  },
  "arm-forbidden": { on: "call", fits: isArmWrite, effect: () => armError(403, "AuthorizationFailed") },
  "operation-lost": { on: "call", fits: isPoll, effect: () => armError(404, "NotFound") },
  "operation-never-ends": {
    on: "call",
    fits: isPoll,
    effect: () => ({ kind: "answer", status: 200, body: { status: "InProgress" }, isApplied: false }),
  },
  "operation-fails": {
    on: "call",
    fits: isArmWrite,
    effect: () => ({ kind: "rule", rule: { kind: "operationFails", code: "InternalExecutionError" } }),
  },
  "operation-failed-but-applied": {
    on: "call",
    fits: isArmWrite,
    effect: () => ({ kind: "rule", rule: { kind: "failedButApplied", code: "InternalExecutionError" } }),
  },
  "partial-allocation": {
    on: "call",
    fits: (call) => isArmWrite(call) && call.resource.toLowerCase() === "virtualmachinescalesets",
    effect: () => ({
      kind: "rule",
      rule: { kind: "someInstancesFail", share: 0.4, code: "AllocationFailed" },
    }),
  },
  "eviction-refused": {
    on: "call",
    fits: ({ subresource }) => subresource === "eviction",
    effect: (call, rng) =>
      rng.below(2) === 0 ? kubeError(429, "TooManyRequests")(call) : kubeError(500, "InternalError")(call),
  },
  "workload-unreachable": {
    on: "call",
    fits: ({ api, server }) => api === "kube" && server !== "management",
    effect: reset(false),
  },
  "forward-broken": {
    on: "call",
    fits: ({ api, server }) => api === "other" && server.startsWith("etcd-"),
    effect: (_, rng) => reset(rng.below(2) === 0)(),
  },
};

/** Azure sends Retry-After in several forms, or not at all. */
function throttled(rng: Rng): CallEffect {
  const waits = [{ "retry-after": String(secondsBetween(rng, 1, 60)) }, {}, { "retry-after": "0" }];
  return armError(429, "TooManyRequests", rng.pick(waits));
}

/** The longest that a fault delays an event of a watch. */
export const LONGEST_DELAY_SECONDS = 60;

/** Faults of watches, by name in the catalogue. */
export const LINE_EFFECTS: Readonly<Record<string, Effect>> = {
  "watch-delay": {
    on: "line",
    effect: (rng) => ({ kind: "delay", forMs: secondsBetween(rng, 1, LONGEST_DELAY_SECONDS) * SECOND_MS }),
  },
  "watch-duplicate": { on: "line", effect: () => ({ kind: "duplicate" }) },
  "watch-drop": {
    on: "line",
    effect: (rng) => ({ kind: "miss", forMs: secondsBetween(rng, 1, LONGEST_DELAY_SECONDS) * SECOND_MS }),
  },
  "watch-expired": { on: "line", effect: () => ({ kind: "expire", isBehind: false }) },
  "watch-time-travel": { on: "line", effect: () => ({ kind: "expire", isBehind: true }) },
};
