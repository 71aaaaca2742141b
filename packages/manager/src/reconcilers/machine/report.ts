import { deprecatedConditionsOf, getCondition, isUpdatingInPlace } from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { type ConditionUpdate, summarize } from "../../contract/ready.ts";
import { withDeprecated } from "../../contract/deprecated-status.ts";
import { NODE_NOT_JOINED } from "../../workload/overdue-join.ts";
import { AVAILABLE, NODE_HEALTHY, UP_TO_DATE } from "../../machines/conditions.ts";
import { availabilityOfMachine, decideStatus, SUMMED_UP } from "./decide.ts";
import type { Scope } from "./scope.ts";
import { upToDateOfWorker } from "./up-to-date.ts";

/** Writes the observations of the pass to the status. After a failure there are fewer, and earlier values stay. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, machine } = scope;
  const before = machine.status?.phase;
  if (machine.metadata.deletionTimestamp !== undefined) {
    reportDeletion(scope);
    claimReady();
  } else {
    if (scope.infrastructure) reportObserved(scope);
    const { generation } = machine.metadata;
    machine.status = {
      phase: "Pending",
      ...machine.status,
      ...(generation !== undefined && { observedGeneration: generation }),
    };
    const gates = (machine.spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
    // While updaters run, or after one has failed, the machine is not Ready.
    const update = isUpdatingInPlace(machine) ? [UP_TO_DATE] : [];
    summarize(machine, [...update, ...SUMMED_UP, ...gates], context.env.clock.now());
    reportAvailability(scope);
    reportUpToDate(scope);
    claimReady();
  }
  if (machine.status?.phase !== before) {
    const lastUpdated = new Date(context.env.clock.now()).toISOString();
    machine.status = { ...machine.status, lastUpdated: `${lastUpdated.slice(0, 19)}Z` };
  }
}

function reportObserved(scope: Scope): void {
  const { context, machine } = scope;
  const { fields, failure, conditions } = decideStatus(machine, {
    ...scope,
    nowMs: context.env.clock.now(),
  });
  recordOverdueJoin(scope, conditions);
  const { failureReason, failureMessage } = failure ?? {};
  machine.status = withDeprecated({ ...machine.status, ...fields }, { failureReason, failureMessage });
  for (const condition of conditions) context.setCondition(condition);
}

/** Records an event when a machine is found not to have joined. */
function recordOverdueJoin({ context, machine }: Scope, conditions: readonly ConditionUpdate[]): void {
  const overdue = conditions.find(({ reason }) => reason === NODE_NOT_JOINED);
  if (!overdue || getCondition(deprecatedConditionsOf(machine), NODE_HEALTHY)?.reason === NODE_NOT_JOINED)
    return;
  context.event({ type: "Warning", reason: NODE_NOT_JOINED, message: overdue.message ?? "" });
}

function reportAvailability({ context, machine, set, node }: Scope): void {
  const nowMs = context.env.clock.now();
  if (node.state === "found") {
    context.setCondition(availabilityOfMachine({ machine, set, node: node.node, nowMs }).condition);
  } else if (
    node.state !== "unknown" ||
    getCondition(deprecatedConditionsOf(machine), AVAILABLE) === undefined
  ) {
    context.setCondition({ type: AVAILABLE, status: "False", severity: "Info", reason: "NotReady" });
  }
}

/** While updaters run, or after one has failed, the update reports this condition itself. */
function reportUpToDate(scope: Scope): void {
  const { context, machine } = scope;
  const condition = isUpdatingInPlace(machine)
    ? undefined
    : upToDateOfWorker(machine, scope, context.env.clock.now());
  if (condition) context.setCondition(condition);
}

function reportDeletion({ context, machine, waitsFor }: Scope): void {
  machine.status = { ...machine.status, phase: "Deleting" };
  const reason = waitsFor?.reason ?? "Deleting";
  const message = waitsFor?.message ?? "The machine is being deleted";
  context.setCondition({ type: "Ready", status: "False", severity: "Info", reason, message });
  context.setCondition({ type: AVAILABLE, status: "False", severity: "Info", reason: "Deleting" });
}
