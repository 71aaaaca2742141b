import { controllerOf, type Frozen, KubeadmControlPlane, Machine } from "@capstan/api";
import { type ControlPlaneAction, planControlPlane, storedView } from "@capstan/manager";
import { CommandError } from "../command-error.ts";
import { type PlanObjects, titleOf } from "./given-objects.ts";
import { verdictLine } from "./in-place-verdict.ts";
import { ownerReport, type PlannedOwner } from "./owner-report.ts";
import type { Planner } from "./planner.ts";

/** Plans KubeadmControlPlanes from a dump. */
export const controlPlanePlanner: Planner = {
  kinds: [KubeadmControlPlane.kind],
  isFor: ({ controlPlanes }) => controlPlanes.length > 0,
  planDump: (given, nowMs) =>
    ownerReport(
      given.controlPlanes.map((controlPlane) => planOf(controlPlane, given, nowMs)),
      ({ action }) =>
        action === "DeleteMachine" || action === "Remediate" || action === "UpdateMachineInPlace",
    ),
  // The course of a rollout is not simulated yet, so manifests that no server has stored are not planned.
  forecast: (_, { given }) => {
    const notes = given.controlPlanes.map(
      (controlPlane) =>
        `${titleOf(controlPlane)} is planned only from a dump: kubectl get clusters,kubeadmcontrolplanes,machines,kubeadmconfigs -o yaml | capstan plan -f -`,
    );
    const summary = `not planned: ${given.controlPlanes.map(titleOf).join(", ")}`;
    return Promise.resolve({ ...ownerReport([], () => false), notes, summary });
  },
};

function planOf(
  controlPlane: Frozen<KubeadmControlPlane>,
  given: PlanObjects,
  nowMs: number,
): PlannedOwner<ControlPlaneAction> {
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
  const view = storedView({ controlPlane, cluster, machines, configs: given.configs, nowMs });
  const { actions, blocked } = planControlPlane(view);
  return { title: titleOf(controlPlane), verdicts: verdictsOf(controlPlane), actions, blocked };
}

/** What happens to each outdated machine, also to those that wait for their turn. */
function verdictsOf({ spec, status }: Frozen<KubeadmControlPlane>): readonly string[] {
  const hasFallback = spec.rolloutStrategy?.fallbackRollingUpdate !== undefined;
  return (status?.inPlace?.decisions ?? []).map((decision) =>
    verdictLine(`Machine ${decision.machine}`, decision, { hasFallback }),
  );
}
