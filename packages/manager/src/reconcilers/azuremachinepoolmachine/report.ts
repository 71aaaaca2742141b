import { getCondition } from "@capstan/api";
import { summarize } from "../../contract/ready.ts";
import { DRAINED, SUMMED_UP, UPDATING_IN_PLACE } from "./conditions.ts";
import { decideStatus } from "./decide-status.ts";
import type { Scope } from "./scope.ts";

/** Writes down what the pass has found out; where that is nothing, the status stays as it was. */
export function report(scope: Scope): void {
  const { machine, before, isQuiet } = scope;
  if (isQuiet === true) {
    if (before) machine.status = before;
    else delete machine.status;
  } else if (machine.metadata.deletionTimestamp !== undefined) {
    recordWhyNotReady(scope);
  } else reportMachine(scope);
}

/** Writes down how instance and Node are. */
export function reportMachine(scope: Scope): void {
  const { context, machine, observed } = scope;
  if (observed.state !== "seen") return;
  const { instance } = observed;
  const setHash = scope.pool?.status?.modelHash;
  const { fields, conditions } = decideStatus({ machine, instance, node: scope.node, setHash });
  const { failureReason: _, failureMessage: __, ...kept } = machine.status ?? {};
  machine.status = { ...kept, ...fields };
  for (const condition of conditions) context.setCondition(condition);
  summarize(machine, SUMMED_UP, context.env.clock.now());
  if (getCondition(machine.status.conditions, DRAINED)) recordWhyNotReady(scope);
}

/** A machine that leaves or is updated is not Ready, however well it is. */
function recordWhyNotReady({ context, machine }: Scope): void {
  const drained = getCondition(machine.status?.conditions, DRAINED);
  if (drained) machine.status = { ...machine.status, ready: false };
  if (drained?.status === "False") {
    const { severity = "Info", reason = DRAINED, message = "" } = drained;
    context.setCondition({ type: "Ready", status: "False", severity, reason, message });
  } else if (drained && machine.metadata.deletionTimestamp === undefined) {
    context.setCondition({ type: "Ready", status: "False", severity: "Info", reason: UPDATING_IN_PLACE });
  }
}
