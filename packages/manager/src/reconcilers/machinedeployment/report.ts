import {
  deprecatedConditionsOf,
  formatSelector,
  type Frozen,
  getCondition,
  isUpdatingInPlace,
  type MachineDeployment,
  type MachineSet,
  selectorOf,
  type StandardConditionUpdate,
} from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { withDeprecated } from "../../contract/deprecated-status.ts";
import { type ConditionUpdate, dropCondition, summarize } from "../../contract/ready.ts";
import { counted, type DeploymentPlan, machineDeploymentConditions, sumVersions } from "@capstan/plan";
import { countUpdates } from "../../in-place/gauge.ts";
import { isInPlace } from "../../in-place/strategy.ts";
import type { Scope } from "./scope.ts";
import { limitsOf } from "./limits.ts";

const MACHINES_READY = "MachinesReady";
const SUMMED_UP = [MACHINES_READY, "Available", "RolloutComplete"];

/** Writes the numbers, the phase and the conditions of the deployment. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, deployment, plan } = scope;
  reportCounts(scope);
  if (isInPlace(deployment.spec.rollout?.strategy))
    countUpdates(scope.updating, deployment, [...scope.machines.values()].flat());
  if (deployment.metadata.deletionTimestamp !== undefined) {
    const message = `Waiting until ${counted(scope.sets.length, "MachineSet")} of the deployment are gone`;
    const reason = "WaitingForMachineSetsDeletion";
    context.setCondition({ type: "Ready", status: "False", severity: "Info", reason, message });
    claimReady();
    return;
  }
  if (!plan) return;
  const { generation } = deployment.metadata;
  deployment.status = {
    ...deployment.status,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  reportConditions(scope);
  summarize(deployment, SUMMED_UP, context.env.clock.now());
  claimReady();
}

function reportCounts({ deployment, sets, machines, plan }: Scope): void {
  // A machine that has moved to the new template has not become like it yet.
  const updatingIn = (set: Frozen<MachineSet> | undefined): number =>
    (machines.get(set?.metadata.uid ?? "") ?? []).filter(isUpdatingInPlace).length;
  const sum = (count: (set: Frozen<MachineSet>) => number | undefined): number =>
    sets.reduce((total, set) => total + (count(set) ?? 0), 0);
  const target = sets.find(({ metadata }) => metadata.name === plan?.target);
  const desired = deployment.spec.replicas ?? 1;
  const replicas = sum(({ status }) => status?.replicas);
  const readyReplicas = sum(({ status }) => status?.readyReplicas);
  const availableReplicas = sum(({ status }) => status?.availableReplicas);
  const updatedReplicas = Math.max((target?.status?.replicas ?? 0) - updatingIn(target), 0);
  // The machines of a set learn of a new template one after the other: until then they count as up to date.
  const upToDateReplicas = Math.min(
    updatedReplicas,
    sum(({ status }) => status?.upToDateReplicas),
  );
  const versions = sumVersions(sets.map(({ status }) => status?.versions));
  const { versions: _, ...kept } = deployment.status ?? {};
  const unavailableReplicas = Math.max(desired - availableReplicas, 0);
  const status = {
    ...kept,
    selector: formatSelector(selectorOf(deployment.spec.selector)),
    replicas,
    readyReplicas,
    availableReplicas,
    upToDateReplicas,
    ...(versions.length > 0 && { versions }),
    phase: replicas > desired ? "ScalingDown" : readyReplicas < desired ? "ScalingUp" : "Running",
  } as const;
  deployment.status = withDeprecated(status, {
    updatedReplicas,
    readyReplicas,
    availableReplicas,
    unavailableReplicas,
  });
}

/** The conditions of the deployment in v1beta2. */
export function conditionsOf(
  deployment: Frozen<MachineDeployment>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  if (!scope) return [];
  const { sets, plan } = scope;
  const blocked = (plan?.blocked ?? []).map(({ why }) => why);
  return machineDeploymentConditions(deployment, { sets, blocked, trouble: troubleOf(sets)?.message });
}

function reportConditions({ context, deployment, sets, plan }: Scope): void {
  const trouble = troubleOf(sets);
  if (trouble) context.setCondition(trouble);
  else dropCondition(deployment, MACHINES_READY);
  context.setCondition(availabilityOf(deployment));
  context.setCondition(progressOf(deployment, sets, plan));
}

/** The trouble of a machine that one of the sets reports. */
function troubleOf(sets: readonly Frozen<MachineSet>[]): ConditionUpdate | undefined {
  const type = MACHINES_READY;
  const said = sets.flatMap((set) => getCondition(deprecatedConditionsOf(set), type) ?? []);
  const trouble = said.find(({ status, severity }) => status === "False" && severity !== "Info");
  if (!trouble) return undefined;
  const { severity = "Error", reason = "", message = "" } = trouble;
  return { type, status: "False", severity, reason, message };
}

function availabilityOf(deployment: Frozen<MachineDeployment>): ConditionUpdate {
  const type = "Available";
  const desired = deployment.spec.replicas ?? 1;
  const { availableReplicas = 0 } = deployment.status ?? {};
  const floor = desired - limitsOf(deployment, desired).maxUnavailable;
  if (availableReplicas >= floor) return { type, status: "True", reason: "Available" };
  const message = `${availableReplicas} of ${counted(desired, "machine")} are available, at least ${floor} must be`;
  return { type, status: "False", severity: "Warning", reason: "NotEnoughAvailable", message };
}

function progressOf(
  deployment: Frozen<MachineDeployment>,
  sets: readonly Frozen<MachineSet>[],
  plan: DeploymentPlan | undefined,
): ConditionUpdate {
  const type = "RolloutComplete";
  const desired = deployment.spec.replicas ?? 1;
  const { availableReplicas, replicas } = deployment.status ?? {};
  const updatedReplicas = updatedReplicasOf(deployment);
  const [block] = plan?.blocked ?? [];
  if (block) return { type, status: "False", severity: "Info", reason: block.reason, message: block.why };
  if ([updatedReplicas, replicas, availableReplicas].every((count) => count === desired))
    return { type, status: "True", reason: "RolloutComplete" };
  const held = heldSet(sets);
  if (held) return { type, status: "False", severity: "Warning", ...held };
  const steps = new Set(plan?.actions.map(({ why }) => why));
  const message = [`${updatedReplicas} of ${counted(desired, "machine")} have the template`, ...steps].join(
    "; ",
  );
  return { type, status: "False", severity: "Info", reason: "RollingOut", message };
}

/** Why one of the sets creates no machine, such as a preflight check that fails. */
function heldSet(
  sets: readonly Frozen<MachineSet>[],
): { readonly reason: string; readonly message: string } | undefined {
  const [first] = sets.flatMap((set) => {
    const created = getCondition(deprecatedConditionsOf(set), "MachinesCreated");
    if (created?.status !== "False" || created.reason === undefined) return [];
    const { reason, message = "" } = created;
    return [{ reason, message: `MachineSet ${set.metadata.name}: ${message}` }];
  });
  return first;
}

/** How many machines have the template; unlike up-to-date ones they need no kubelet yet. */
function updatedReplicasOf({ status }: Frozen<MachineDeployment>): number {
  return status?.deprecated?.v1beta1?.updatedReplicas ?? 0;
}
