import { AzureMachineTemplate, controllerOf, type Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import { type ControlPlaneAction, planControlPlane } from "@capstan/plan";
import { type StoredControlPlane, viewFromConditions } from "@capstan/manager";
import { CommandError } from "../../command-error.ts";
import type { Course } from "../print/course.ts";
import { type PlanObjects, titleOf } from "../read/given-objects.ts";
import { verdictLines } from "../read/in-place-verdict.ts";
import { type ChangedOwner, changeReport, type PlannedOwner } from "../print/owner-report.ts";
import type { Planner } from "./planner.ts";
import { replacementTime } from "../times/replacement-time.ts";
import { updatePace } from "../times/update-pace.ts";
import { proposedControlPlane } from "./proposed-control-plane.ts";

/** Plans the next step of KubeadmControlPlanes, from a dump or after a change. */
export const controlPlanePlanner: Planner = {
  kinds: [KubeadmControlPlane.kind],
  isFor: ({ controlPlanes }) => controlPlanes.length > 0,
  planDump: (given, nowMs) =>
    changeReport(
      given.controlPlanes.map((one) => ({ owner: planned(storedIn(one, given, nowMs)), changes: [] })),
      isDisruptive,
    ),
  forecast: async (shell, change) => {
    const changed: ChangedOwner<ControlPlaneAction>[] = [];
    for (const manifest of change.given.controlPlanes) {
      const { stored, changes } = await proposedControlPlane(shell, change, manifest);
      changed.push({ owner: planned(stored), changes });
    }
    return changeReport(changed, isDisruptive);
  },
};

function isDisruptive({ action }: ControlPlaneAction): boolean {
  return action === "DeleteMachine" || action === "Remediate" || action === "UpdateMachineInPlace";
}

function storedIn(
  controlPlane: Frozen<KubeadmControlPlane>,
  given: PlanObjects,
  nowMs: number,
): StoredControlPlane {
  const machines = given.setMachines.filter((one) => controllerOf(one)?.uid === controlPlane.metadata.uid);
  const expected = controlPlane.status?.replicas ?? 0;
  if (machines.length < expected) {
    throw new CommandError(
      `${titleOf(controlPlane)} has ${expected} machines, but the dump has ${machines.length}; add them with kubectl get ${Machine.plural}`,
    );
  }
  const owner = controlPlane.metadata.ownerReferences?.find(({ kind }) => kind === "Cluster");
  const cluster = given.clusters.find(
    ({ metadata }) => metadata.name === owner?.name && metadata.namespace === controlPlane.metadata.namespace,
  );
  return { controlPlane, cluster, machines, configs: given.configs, nowMs };
}

function planned(stored: StoredControlPlane): PlannedOwner<ControlPlaneAction> {
  const { controlPlane } = stored;
  const view = viewFromConditions(stored);
  const { actions, blocked } = planControlPlane(view);
  const outdated = view.machines.filter((machine) => machine.outdated.length > 0).length;
  const course = actions.length > 0 && outdated > 0 ? controlPlaneCourse(stored, view, outdated) : undefined;
  return { title: titleOf(controlPlane), verdicts: verdictsOf(controlPlane), actions, blocked, course };
}

/** The same for a control plane, whose machines are changed one after the other. */
export function controlPlaneCourse(
  { controlPlane: { spec }, machines }: Pick<StoredControlPlane, "controlPlane" | "machines">,
  { replicas, maxSurge, inPlace }: ReturnType<typeof viewFromConditions>,
  outdated: number,
): Course {
  const verdicts = [...(inPlace?.verdicts.values() ?? [])];
  const isInPlace = verdicts.length > 0 && verdicts.every(({ result }) => result === "Covered");
  const surge = isInPlace ? 0 : (inPlace?.fallbackSurge ?? maxSurge);
  const pace = updatePace(machines);
  const course: Course = {
    outdated,
    desired: replicas,
    maxSurge: surge,
    maxUnavailable: 1 - surge,
    isInPlace,
    ...(pace && { pace }),
  };
  const { kind } = spec.machineTemplate.spec.infrastructureRef;
  if (isInPlace || kind !== AzureMachineTemplate.kind) return course;
  return {
    ...course,
    time: replacementTime({ machines: outdated, atOnce: 1, minReadySeconds: 0, isOneByOne: true }),
  };
}

/** What happens to each outdated machine, also to those that wait for their turn. */
function verdictsOf({ spec, status }: Frozen<KubeadmControlPlane>): readonly string[] {
  const hasFallback = spec.rollout?.strategy?.fallbackRollingUpdate !== undefined;
  return verdictLines(status?.inPlace?.decisions ?? [], { hasFallback });
}
