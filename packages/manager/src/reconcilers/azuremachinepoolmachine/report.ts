import { getCondition } from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { type ConditionUpdate, summarize } from "../../contract/ready.ts";
import {
  BOOTSTRAP_SUCCEEDED,
  DRAINED,
  SUMMED_UP,
  UPDATING_IN_PLACE,
} from "../../pools/machine-conditions.ts";
import { decideStatus } from "./decide-status.ts";
import type { Scope } from "./scope.ts";

/** Writes the observations of the pass to the status; without observations the status stays. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { machine, before, isQuiet } = scope;
  if (isQuiet === true) {
    if (before) machine.status = before;
    else delete machine.status;
    claimReady();
  } else if (machine.metadata.deletionTimestamp !== undefined) {
    if (recordWhyNotReady(scope)) claimReady();
  } else if (reportMachine(scope)) claimReady();
}

/** Reports the state of instance and Node, Ready included; false when the instance was not observed. */
export function reportMachine(scope: Scope): boolean {
  const { context, machine, observed } = scope;
  if (observed.state !== "seen") return false;
  const { instance } = observed;
  const setHash = scope.pool?.status?.modelHash;
  const nowMs = context.env.clock.now();
  const { fields, conditions } = decideStatus({ machine, instance, node: scope.node, setHash, nowMs });
  recordFailedJoin(scope, conditions);
  // CAPZ's older releases left the state of an operation of their own; the observed instance shows how it ended.
  const {
    failureReason: _,
    failureMessage: __,
    longRunningOperationState: ___,
    ...kept
  } = machine.status ?? {};
  machine.status = { ...kept, ...fields };
  for (const condition of conditions) context.setCondition(condition);
  summarize(machine, SUMMED_UP, nowMs);
  if (getCondition(machine.status.conditions, DRAINED)) recordWhyNotReady(scope);
  return true;
}

/** Records an event when a machine is found not to have joined. */
function recordFailedJoin({ context, before }: Scope, conditions: readonly ConditionUpdate[]): void {
  const joined = conditions.find(({ type }) => type === BOOTSTRAP_SUCCEEDED);
  if (joined?.status !== "False" || joined.severity === "Info") return;
  const { reason, message = "" } = joined;
  if (getCondition(before?.conditions, BOOTSTRAP_SUCCEEDED)?.reason === reason) return;
  context.event({ type: "Warning", reason, message });
}

/** Reports that a machine which is drained or updated is not Ready; false when neither is the case. */
function recordWhyNotReady({ context, machine }: Scope): boolean {
  const drained = getCondition(machine.status?.conditions, DRAINED);
  if (drained) machine.status = { ...machine.status, ready: false };
  if (drained?.status === "False") {
    const { severity = "Info", reason = DRAINED, message = "" } = drained;
    context.setCondition({ type: "Ready", status: "False", severity, reason, message });
    return true;
  }
  if (drained && machine.metadata.deletionTimestamp === undefined) {
    context.setCondition({ type: "Ready", status: "False", severity: "Info", reason: UPDATING_IN_PLACE });
    return true;
  }
  return false;
}
