import type { Cluster, Frozen, StandardConditionUpdate } from "@capstan/api";
import { clusterConditions } from "@capstan/plan";
import type { PassSummary } from "@capstan/runtime";
import { withDeprecated } from "../../contract/deprecated-status.ts";
import { type ConditionUpdate, summarize } from "../../contract/ready.ts";
import { missingReferences } from "../../contract/resolve.ts";
import { decideStatus, type Verdict } from "./decide.ts";
import type { DeletionStep } from "./decide-deletion.ts";
import { WAITING_REASONS } from "./deletion.ts";
import { remediationOf } from "../../machines/health.ts";
import { controlPlaneCounts, controlPlaneState, ownerStates, workerCounts } from "./members.ts";
import type { Scope } from "./scope.ts";

// The infrastructure comes first: without it, the control plane cannot be ready.
const SUMMED_UP = ["InfrastructureReady", "ControlPlaneReady"];
// A cluster may have thousands of machines; a few names are enough to find the cause.
const MOST_NAMES = 5;

/** Writes the observations of the pass to the status. After a failure there are fewer, and earlier values stay. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, cluster, observed, step } = scope;
  const isDeleting = cluster.metadata.deletionTimestamp !== undefined;
  if (isDeleting) reportDeletion(scope, step);
  else if (observed) reportVerdict(scope, decideStatus(cluster, observed));
  reportCounts(scope);
  const { generation } = cluster.metadata;
  cluster.status = { ...cluster.status, ...(generation !== undefined && { observedGeneration: generation }) };
  if (!isDeleting) summarize(cluster, SUMMED_UP, context.env.clock.now());
  if (!isDeleting || step) claimReady();
}

/** The conditions of the Cluster in v1beta2. */
export function conditionsOf(
  cluster: Frozen<Cluster>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  if (!scope) return [];
  const { observed, probe, step, members } = scope;
  const controlPlane = observed?.controlPlane;
  return clusterConditions(cluster, {
    missing: missingReferences(observed, ["infrastructure", "controlPlane"]),
    controlPlane: controlPlane?.state === "found" ? controlPlaneState(controlPlane.object) : undefined,
    controlPlaneMachines: members.controlPlaneMachines,
    workers: ownerStates(members),
    workerMachines: members.workerMachines,
    isMarked: (machine) => remediationOf(machine) !== undefined,
    probe,
    deletion: step && { reason: DELETION_REASONS[step.waitsFor], message: leftText(step) },
  });
}

/** Cluster API's stages of a deletion. */
const DELETION_REASONS: Readonly<Record<DeletionStep["waitsFor"], string>> = {
  machinePools: "WaitingForWorkersDeletion",
  machines: "WaitingForWorkersDeletion",
  controlPlane: "WaitingForControlPlaneDeletion",
  infrastructure: "WaitingForInfrastructureDeletion",
};

/** Counts the machines of the cluster. */
function reportCounts({ cluster, observed, members }: Scope): void {
  const found = observed?.controlPlane?.state === "found" ? observed.controlPlane.object : undefined;
  const controlPlane = controlPlaneCounts(members, found);
  const { controlPlane: _, ...kept } = cluster.status ?? {};
  cluster.status = {
    ...kept,
    ...(controlPlane && { controlPlane }),
    workers: workerCounts(members),
  };
}

function reportVerdict(scope: Scope, verdict: Verdict): void {
  const { context, cluster } = scope;
  const { fields, failure, conditions } = verdict;
  recordEvents(scope, verdict);
  const { failureDomains: _, ...kept } = cluster.status ?? {};
  const { failureReason, failureMessage } = failure ?? {};
  cluster.status = withDeprecated({ ...kept, ...fields }, { failureReason, failureMessage });
  for (const condition of conditions) context.setCondition(condition);
}

/** Records an event when a part becomes ready, as Cluster API does. */
function recordEvents({ context, cluster }: Scope, { fields, conditions }: Verdict): void {
  const news = [
    ["infrastructureProvisioned", "InfrastructureReady", "The infrastructure is ready"],
    ["controlPlaneInitialized", "ControlPlaneReady", controlPlaneText(conditions)],
  ] as const;
  const before = cluster.status?.initialization;
  for (const [field, reason, message] of news) {
    if (fields.initialization?.[field] && !before?.[field])
      context.event({ type: "Normal", reason, message });
  }
}

/** A control plane that no controller reports on is not called ready. */
function controlPlaneText(conditions: Verdict["conditions"]): string {
  return conditions.find(({ reason }) => reason === "NoController")?.message ?? "The control plane is ready";
}

const CONDITIONS: Readonly<Partial<Record<DeletionStep["waitsFor"], string>>> = {
  controlPlane: "ControlPlaneReady",
  infrastructure: "InfrastructureReady",
};

function reportDeletion({ context, cluster }: Scope, step: DeletionStep | undefined): void {
  cluster.status = { ...cluster.status, phase: "Deleting" } satisfies Scope["cluster"]["status"];
  if (!step) return;
  const waiting: Omit<ConditionUpdate, "type"> = {
    status: "False",
    severity: "Info",
    reason: WAITING_REASONS[step.waitsFor],
    message: leftText(step),
  };
  context.setCondition({ type: "Ready", ...waiting });
  const type = CONDITIONS[step.waitsFor];
  if (type !== undefined) context.setCondition({ type, ...waiting, reason: "Deleting" });
}

function leftText({ left }: DeletionStep): string {
  const more = left.length - MOST_NAMES;
  const names = left.slice(0, MOST_NAMES).join(", ");
  return `Waiting until ${names}${more > 0 ? ` and ${more} more` : ""} ${left.length === 1 ? "is" : "are"} gone`;
}
