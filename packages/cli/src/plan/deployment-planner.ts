import { controllerOf, type Frozen, Machine, MachineDeployment, MachineSet } from "@capstan/api";
import {
  type DeploymentPlan,
  deploymentViewOf,
  type MachineSetPlan,
  machineSetViewOf,
  planDeployment,
  planMachineSet,
} from "@capstan/manager";
import { CommandError } from "../command-error.ts";
import { type PlanObjects, titleOf } from "./given-objects.ts";
import { ownerReport, type PlannedOwner } from "./owner-report.ts";
import type { Planner, PlanReport } from "./planner.ts";

type PlannedAction = DeploymentPlan["actions"][number] | MachineSetPlan["actions"][number];

/** Plans MachineDeployments and MachineSets from a dump. */
export const deploymentPlanner: Planner = {
  kinds: [MachineDeployment.kind, MachineSet.kind],
  isFor: ({ deployments, sets }) => deployments.length + sets.length > 0,
  planDump,
  forecast: (_, { given }) => Promise.resolve(unplanned(given)),
};

function planDump(given: PlanObjects, nowMs: number): PlanReport {
  const owners = [
    ...given.deployments.map((deployment) => planOf(deployment, given, nowMs)),
    ...given.sets.map((set) => planOfSet(set, given, nowMs)),
  ];
  return ownerReport(owners, isDisruptive);
}

/** The course of a rollout is not simulated yet, so manifests that no server has stored are not planned. */
function unplanned({ deployments, sets }: PlanObjects): PlanReport {
  const notes = [...deployments, ...sets].map(
    (owner) =>
      `${titleOf(owner)} is planned only from a dump: kubectl get machinedeployments,machinesets,machines -o yaml | capstan plan -f -`,
  );
  return { print: () => "", json: { actions: [], blocked: [] }, isDisruptive: false, notes };
}

function planOf(
  deployment: Frozen<MachineDeployment>,
  { sets }: PlanObjects,
  nowMs: number,
): PlannedOwner<PlannedAction> {
  const own = sets.filter((set) => controllerOf(set)?.uid === deployment.metadata.uid);
  const isTaken = (name: string): boolean =>
    sets.some(
      ({ metadata }) => metadata.name === name && metadata.namespace === deployment.metadata.namespace,
    );
  const { actions, blocked } = planDeployment(deploymentViewOf({ deployment, sets: own, isTaken, nowMs }));
  return { title: titleOf(deployment), actions, blocked };
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
  return action === "DeleteMachine" || action === "Remediate";
}
