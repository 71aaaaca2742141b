import {
  AzureMachineTemplate,
  controllerOf,
  controllerReferenceTo,
  DEFAULT_FEATURES,
  deprecatedConditionsOf,
  formatTimestamp,
  type Frozen,
  Machine,
  MachineDeployment,
  MachineSet,
} from "@capstan/api";
import {
  type DeploymentPlan,
  type MachineSetPlan,
  planDeployment,
  planMachineSet,
  type VersionFinding,
} from "@capstan/plan";
import { deploymentViewOf, machineSetViewOf } from "@capstan/manager";
import { CommandError } from "../../command-error.ts";
import { counted } from "../../render/amounts.ts";
import type { Course } from "../print/course.ts";
import { type PlanObjects, titleOf } from "../read/given-objects.ts";
import { verdictLine } from "../read/in-place-verdict.ts";
import { type ChangedOwner, changeReport, type PlannedOwner } from "../print/owner-report.ts";
import type { Planner, PlanReport } from "./planner.ts";
import { proposedDeployment } from "./proposed-deployment.ts";
import { replacementTime } from "../times/replacement-time.ts";
import { updatePace } from "../times/update-pace.ts";

type PlannedAction =
  | DeploymentPlan["actions"][number]
  | MachineSetPlan["actions"][number]
  | ReturnType<typeof updateInPlace>;

/** Plans the next step of MachineDeployments and MachineSets from a dump, and of MachineDeployments after a change. */
export const deploymentPlanner: Planner = {
  kinds: [MachineDeployment.kind, MachineSet.kind],
  isFor: ({ deployments, sets }) => deployments.length + sets.length > 0,
  planDump,
  forecast: async (shell, change) => {
    const changed: ChangedOwner<PlannedAction>[] = [];
    for (const manifest of change.given.deployments) {
      const { objects, changes, findings } = await proposedDeployment(shell, change, manifest);
      for (const deployment of objects.deployments) {
        const owner = planOfChange(deployment, objects, change.nowMs);
        changed.push({ owner: withFindings(owner, deployment, findings), changes });
      }
    }
    return { ...changeReport(changed, isDisruptive), notes: change.given.sets.map(unplanned) };
  },
};

function planDump(given: PlanObjects, nowMs: number): PlanReport {
  const owners = [
    ...given.deployments.map((deployment) => planOf(deployment, given, nowMs)),
    ...given.sets.map((set) => planOfSet(set, given, nowMs)),
  ];
  return changeReport(
    owners.map((owner) => ({ owner, changes: [] })),
    isDisruptive,
  );
}

/** Machines that could not join are not created, so no machine is replaced by one of them. */
function withFindings(
  owner: PlannedOwner<PlannedAction>,
  { metadata }: Frozen<MachineDeployment>,
  findings: readonly VersionFinding[],
): PlannedOwner<PlannedAction> {
  const blocking = findings.filter(({ isBlocking }) => isBlocking);
  const verdicts = findings.filter(({ isBlocking }) => !isBlocking).map(({ why }) => why);
  const known = { ...owner, verdicts: [...(owner.verdicts ?? []), ...verdicts] };
  if (blocking.length === 0) return known;
  const blocks = blocking.map(({ why }) => ({
    reason: "PreflightCheckFailed",
    targets: [metadata.name],
    why: `${why}; until then no machine of the new version is created`,
  }));
  return { ...known, course: undefined, blocked: [...owner.blocked, ...blocks] };
}

function unplanned(set: Frozen<MachineSet>): string {
  return `${titleOf(set)} is planned only from a dump: kubectl get machinedeployments,machinesets,machines -o yaml | capstan plan -f -`;
}

function planOf(
  deployment: Frozen<MachineDeployment>,
  given: PlanObjects,
  nowMs: number,
): PlannedOwner<PlannedAction> {
  const { metadata } = deployment;
  const own = given.sets.filter((set) => controllerOf(set)?.uid === metadata.uid);
  const isTaken = (name: string): boolean =>
    given.sets.some((set) => set.metadata.name === name && set.metadata.namespace === metadata.namespace);
  const uids = new Set(own.map((set) => set.metadata.uid));
  const machines = given.setMachines.filter((machine) => uids.has(controllerOf(machine)?.uid));
  const isGateOff = deprecatedConditionsOf(deployment)?.some(
    ({ reason }) => reason === "InPlaceUpdatesDisabled",
  );
  const features = { ...DEFAULT_FEATURES, InPlaceUpdates: isGateOff !== true };
  const view = deploymentViewOf({ deployment, sets: own, isTaken, nowMs, machines, features });
  const { actions, blocked, target } = planDeployment(view);
  const targetUid = own.find(({ metadata: { name } }) => name === target)?.metadata.uid;
  const outdated = machines.filter((machine) => controllerOf(machine)?.uid !== targetUid).length;
  const isRolling = outdated > 0 && view.strategy === "RollingUpdate" && actions.some(startsRollout);
  return {
    course: isRolling ? deploymentCourse({ deployment, machines }, view, outdated) : undefined,
    title: titleOf(deployment),
    verdicts: verdictsOf(deployment, machines, own),
    actions: actions.flatMap<PlannedAction>((action) =>
      action.action === "MoveMachine" ? [action, updateInPlace(deployment, action)] : [action],
    ),
    blocked,
  };
}

/** A change also tells the steps that follow the creation of its MachineSet: which machines move to it first. */
function planOfChange(
  deployment: Frozen<MachineDeployment>,
  given: PlanObjects,
  nowMs: number,
): PlannedOwner<PlannedAction> {
  const first = planOf(deployment, given, nowMs);
  const { course } = first;
  const created = first.actions.find(({ action }) => action === "CreateMachineSet");
  if (!created || (first.verdicts ?? []).length === 0) return first;
  const set = setFor(deployment, created, nowMs);
  const second = planOf(deployment, { ...given, sets: [...given.sets, set] }, nowMs);
  const later = second.actions.filter(({ action }) => action !== "Wait");
  return { ...second, actions: [...first.actions, ...later], course };
}

/** What a rollout of a MachineDeployment does to so many outdated machines, and how long it takes. */
export function deploymentCourse(
  {
    deployment: { spec, status },
    machines,
  }: {
    readonly deployment: Frozen<MachineDeployment>;
    readonly machines: readonly Frozen<Machine>[];
  },
  { replicas, inPlace, ...limits }: ReturnType<typeof deploymentViewOf>,
  outdated: number,
): Course {
  const isInPlace = isCovered(status);
  const split = inPlace && !isInPlace ? splitOf(inPlace, outdated) : undefined;
  const pace = updatePace(machines);
  const facts = { outdated, desired: replicas, isInPlace, ...(pace && { pace }) };
  if (isInPlace || split) return { ...facts, ...spareLimits(limits), ...(split && { split }) };
  // Machines that updaters cannot change are replaced within limits of their own.
  const { maxSurge, maxUnavailable } = inPlace?.fallback ?? limits;
  const course: Course = { ...facts, maxSurge, maxUnavailable };
  return { ...course, ...timeOf(spec, course) };
}

function isCovered(status: Frozen<MachineDeployment>["status"]): boolean {
  const { decisions = [] } = status?.inPlace ?? {};
  return decisions.length > 0 && decisions.every(({ result }) => result === "Covered");
}

/** Updates in place add one machine at most, and only if none may be unavailable. */
function spareLimits({ maxSurge, maxUnavailable }: Pick<Course, "maxSurge" | "maxUnavailable">) {
  return { maxSurge: maxUnavailable > 0 ? 0 : Math.min(maxSurge, 1), maxUnavailable };
}

/** How a rollout ends that updaters cover in part; undefined if they cover nothing. */
function splitOf(
  { verdicts, machines, fallback }: NonNullable<ReturnType<typeof deploymentViewOf>["inPlace"]>,
  outdated: number,
): Course["split"] {
  const updated = machines.filter(
    ({ set, state }) => verdicts.get(set)?.result === "Covered" && state === "ready",
  ).length;
  if (updated === 0) return undefined;
  const uncovered = machines.filter(({ set }) => verdicts.get(set)?.result === "Uncovered").length;
  return { updated, staying: fallback ? 0 : Math.min(uncovered, outdated - updated) };
}

/** How long the replacement of AzureMachines takes; of other providers no times are known. */
function timeOf(
  { template }: Frozen<MachineDeployment>["spec"],
  { outdated, maxSurge, maxUnavailable }: Course,
): Pick<Course, "time"> {
  const { infrastructureRef, minReadySeconds = 0 } = template.spec;
  const { kind, apiGroup } = infrastructureRef;
  if (kind !== AzureMachineTemplate.kind || apiGroup !== AzureMachineTemplate.group) return {};
  const replacement = { machines: outdated, atOnce: maxSurge + maxUnavailable, minReadySeconds };
  return { time: replacementTime(replacement) };
}

function startsRollout({ action }: PlannedAction): boolean {
  return action === "CreateMachineSet" || action === "MoveMachine" || action === "ScaleMachineSet";
}

/** The MachineSet that a controller would create. */
function setFor(
  deployment: Frozen<MachineDeployment>,
  { targets, detail }: PlannedAction,
  nowMs: number,
): Frozen<MachineSet> {
  const { namespace } = deployment.metadata;
  const { clusterName, selector, template } = deployment.spec;
  const replicas = "replicas" in detail ? detail.replicas : 0;
  const name = targets[0] ?? "";
  return {
    apiVersion: MachineSet.apiVersion,
    kind: MachineSet.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: name,
      creationTimestamp: formatTimestamp(nowMs),
      ownerReferences: [controllerReferenceTo(deployment)],
    },
    spec: { clusterName, selector, template, replicas },
  };
}

type Move = Extract<DeploymentPlan["actions"][number], { readonly action: "MoveMachine" }>;

/** What the controller of a Machine does after the machine has moved. */
function updateInPlace(deployment: Frozen<MachineDeployment>, { targets, detail, why }: Move) {
  const decision = deployment.status?.inPlace?.decisions.find(({ machineSet }) => machineSet === detail.from);
  const paths = (decision?.updaters ?? []).flatMap(({ changes }) => changes);
  const object = {
    kind: Machine.kind,
    namespace: deployment.metadata.namespace ?? "",
    name: targets[0] ?? "",
  };
  return {
    controller: "machine",
    object,
    action: "UpdateMachineInPlace",
    targets,
    detail: { updaters: detail.updaters, paths },
    why,
  } as const;
}

/** What happens to all machines of each old set, also to those that wait for their turn. */
function verdictsOf(
  { spec, status }: Frozen<MachineDeployment>,
  machines: readonly Frozen<Machine>[],
  sets: readonly Frozen<MachineSet>[],
): readonly string[] {
  const hasFallback = spec.rollout?.strategy?.fallbackRollingUpdate !== undefined;
  return (status?.inPlace?.decisions ?? []).map((decision) => {
    const { machineSet } = decision;
    const uid = sets.find(({ metadata }) => metadata.name === machineSet)?.metadata.uid;
    const count = machines.filter((machine) => controllerOf(machine)?.uid === uid).length;
    return verdictLine(`${counted(count, "machine")} of MachineSet ${machineSet}`, decision, { hasFallback });
  });
}

function planOfSet(set: Frozen<MachineSet>, given: PlanObjects, nowMs: number): PlannedOwner<PlannedAction> {
  const machines = given.setMachines.filter((machine) => controllerOf(machine)?.uid === set.metadata.uid);
  const expected = set.status?.replicas ?? 0;
  if (machines.length < expected) {
    throw new CommandError(
      `${titleOf(set)} has ${expected} machines, but the dump has ${machines.length}; add them with kubectl get ${Machine.plural}`,
    );
  }
  const deployment = given.deployments.find(({ metadata }) => metadata.uid === controllerOf(set)?.uid);
  const view = machineSetViewOf({ set, machines, deployment, preflight: [], nowMs });
  const { actions, blocked } = planMachineSet(view);
  return { title: titleOf(set), actions, blocked };
}

/** Whether an action takes a machine away from its pods, now or by the controller of the set. */
function isDisruptive({ action, detail }: PlannedAction): boolean {
  if (action === "ScaleMachineSet") return "to" in detail && detail.to < detail.from;
  return action === "DeleteMachine" || action === "Remediate" || action === "UpdateMachineInPlace";
}
