import {
  formatSelector,
  type Frozen,
  type Machine,
  type MachineSet,
  selectorMatches,
  selectorOf,
  type StandardConditionUpdate,
} from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { withDeprecated } from "../../contract/deprecated-status.ts";
import { type ConditionUpdate, summarize } from "../../contract/ready.ts";
import { FIELDS_PROPAGATED, reportContest } from "../../machines/propagate.ts";
import { worstTroubleOf } from "../../machines/trouble.ts";
import {
  counted,
  countMachines,
  machineSetConditions,
  type MachineSetPlan,
  versionsOfMachines,
} from "@capstan/plan";
import type { Scope } from "./scope.ts";
import { remediationOf } from "../../machines/health.ts";

const SUMMED_UP = ["MachinesCreated", "Resized", "MachinesReady", FIELDS_PROPAGATED];

/** Writes the numbers and the conditions of the set. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, set } = scope;
  reportCounts(scope);
  if (set.metadata.deletionTimestamp !== undefined) {
    const message = `Waiting until ${counted(scope.left ?? 0, "machine")} of the set are gone`;
    const reason = "WaitingForMachinesDeletion";
    context.setCondition({ type: "Ready", status: "False", severity: "Info", reason, message });
    claimReady();
    return;
  }
  if (!scope.plan) return;
  reportConditions(scope);
  reportContest(context, set, scope.contest);
  const { generation } = set.metadata;
  set.status = { ...set.status, ...(generation !== undefined && { observedGeneration: generation }) };
  summarize(set, SUMMED_UP, context.env.clock.now());
  claimReady();
}

function reportCounts({ set, machines }: Scope): void {
  const known = new Set(machines.map(({ metadata }) => metadata.name));
  const unseen = (set.status?.creatingMachines ?? []).filter((name) => !known.has(name));
  const selector = selectorOf(set.spec.selector);
  const count = (is: (machine: Frozen<Machine>) => boolean): number => machines.filter(is).length;
  const templateLabels = Object.entries(set.spec.template.metadata?.labels ?? {});
  const counts = countMachines(machines);
  const { readyReplicas, availableReplicas } = counts;
  const versions = versionsOfMachines(machines);
  const { versions: _, ...kept } = set.status ?? {};
  const status = {
    ...kept,
    selector: formatSelector(selector),
    replicas: machines.length + unseen.length,
    ...counts,
    ...(versions.length > 0 && { versions }),
    deletingReplicas: count(({ metadata }) => metadata.deletionTimestamp !== undefined),
  };
  const fullyLabeledReplicas = count(
    ({ metadata }) =>
      selectorMatches(selector, metadata.labels ?? {}) &&
      templateLabels.every(([name, value]) => metadata.labels?.[name] === value),
  );
  set.status = withDeprecated(status, { fullyLabeledReplicas, readyReplicas, availableReplicas });
}

/** The conditions of the set in v1beta2. */
export function conditionsOf(
  set: Frozen<MachineSet>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  if (!scope) return [];
  const { machines, plan } = scope;
  return machineSetConditions(set, {
    machines,
    isMarked: (machine) => remediationOf(machine) !== undefined,
    // The others hold up the replacement of unhealthy machines.
    blocked: (plan?.blocked ?? [])
      .filter(({ targets }) => targets.includes(set.metadata.name))
      .map(({ why }) => why),
    trouble: worstTroubleOf(machines)?.message,
  });
}

function reportConditions({ context, set, plan, machines }: Scope): void {
  const desired = set.spec.replicas ?? 1;
  const { replicas = 0, readyReplicas = 0 } = set.status ?? {};
  context.setCondition(creationOf(plan));
  context.setCondition(sizeOf(replicas, desired));
  const type = "MachinesReady";
  const message = `${readyReplicas} of ${counted(desired, "machine")} are ready`;
  const booting = { severity: "Info", reason: "MachinesNotReady", message } as const;
  context.setCondition(
    readyReplicas >= desired
      ? { type, status: "True", reason: "MachinesReady" }
      : { type, status: "False", ...(worstTroubleOf(machines) ?? booting) },
  );
}

function creationOf(plan: MachineSetPlan | undefined): ConditionUpdate {
  const type = "MachinesCreated";
  const [block] = plan?.blocked ?? [];
  if (!block) return { type, status: "True", reason: "MachinesCreated" };
  return { type, status: "False", severity: "Warning", reason: block.reason, message: block.why };
}

function sizeOf(replicas: number, desired: number): ConditionUpdate {
  const type = "Resized";
  if (replicas === desired) return { type, status: "True", reason: "Resized" };
  const isFalse = { type, status: "False", severity: "Info" } as const;
  const size = `to ${counted(desired, "replica")} (${replicas} exist)`;
  return replicas < desired
    ? { ...isFalse, reason: "ScalingUp", message: `Scaling up ${size}` }
    : { ...isFalse, reason: "ScalingDown", message: `Scaling down ${size}` };
}
