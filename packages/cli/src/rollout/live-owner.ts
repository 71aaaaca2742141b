import {
  controllerOf,
  type Frozen,
  KubeadmConfig,
  KubeadmControlPlane,
  labelValueFor,
  type MachineDeployment,
  MachineSet,
  CONTROL_PLANE_NAME_LABEL,
  DEPLOYMENT_NAME_LABEL,
} from "@capstan/api";
import { deploymentViewOf, viewFromConditions } from "@capstan/manager";
import { planDeployment } from "@capstan/plan";
import type { Client } from "@capstan/runtime";
import { newestTimeIn } from "../plan/read/newest-time.ts";
import type { Course } from "../plan/print/course.ts";
import { controlPlaneCourse } from "../plan/planners/control-plane-planner.ts";
import { deploymentCourse } from "../plan/planners/deployment-planner.ts";
import { machinesOf, type OwnerName, type OwnerRollout, readOwner } from "./owner-progress.ts";

/** Where to read an owner, and the time there. */
interface OwnerPlace {
  readonly namespace: string;
  readonly now: () => number;
}

/** Reads the rollout of a control plane or a MachineDeployment with its machines. */
export async function ownerRollout(
  client: Client,
  name: OwnerName,
  { namespace, now }: OwnerPlace,
): Promise<OwnerRollout> {
  const owner = await readOwner(client, name, namespace);
  const machines = await machinesOf(client, owner);
  // The clock of the cluster may be ahead of ours.
  const nowMs = Math.max(now(), newestTimeIn([owner, ...machines] as never) ?? 0);
  const { outdated, course } =
    name.kind === KubeadmControlPlane
      ? await ofControlPlane(client, owner as Frozen<KubeadmControlPlane>, { machines, nowMs })
      : await ofDeployment(client, owner as Frozen<MachineDeployment>, { machines, nowMs });
  return { owner, machines, outdated: new Set(outdated), nowMs, course };
}

/** The machines that differ from the desired state, by their names, and what becomes of them. */
interface Outdated {
  readonly outdated: readonly string[];
  readonly course: Course;
}

async function ofControlPlane(
  client: Client,
  controlPlane: Frozen<KubeadmControlPlane>,
  { machines, nowMs }: Pick<OwnerRollout, "machines" | "nowMs">,
): Promise<Outdated> {
  const { namespace = "", name } = controlPlane.metadata;
  const labelSelector = `${CONTROL_PLANE_NAME_LABEL}=${labelValueFor(name)}`;
  const configs = await client.list(KubeadmConfig, { namespace, labelSelector });
  const view = viewFromConditions({ controlPlane, cluster: undefined, machines, configs, nowMs });
  const outdated = view.machines.filter((machine) => machine.outdated.length > 0).map((one) => one.name);
  return { outdated, course: controlPlaneCourse({ controlPlane, machines }, view, outdated.length) };
}

async function ofDeployment(
  client: Client,
  deployment: Frozen<MachineDeployment>,
  { machines, nowMs }: Pick<OwnerRollout, "machines" | "nowMs">,
): Promise<Outdated> {
  const { namespace = "", name, uid } = deployment.metadata;
  const labelSelector = `${DEPLOYMENT_NAME_LABEL}=${labelValueFor(name)}`;
  const sets = (await client.list(MachineSet, { namespace, labelSelector })).filter(
    (set) => controllerOf(set)?.uid === uid,
  );
  const isTaken = (other: string): boolean => sets.some(({ metadata }) => metadata.name === other);
  const view = deploymentViewOf({ deployment, sets, isTaken, nowMs, machines });
  const { target } = planDeployment(view);
  const targetUid = sets.find(({ metadata }) => metadata.name === target)?.metadata.uid;
  const outdated = machines
    .filter((machine) => controllerOf(machine)?.uid !== targetUid)
    .map(({ metadata }) => metadata.name);
  return { outdated, course: deploymentCourse({ deployment, machines }, view, outdated.length) };
}
