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
import { inPlaceLines } from "./in-place-lines.ts";
import { machinesOf, type OwnerName, progressLines, readOwner } from "./owner-progress.ts";
import type { OwnerRollout } from "./owner-tree.ts";

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
  const outdated =
    name.kind === KubeadmControlPlane
      ? await outdatedOfControlPlane(client, owner as Frozen<KubeadmControlPlane>, { machines, nowMs })
      : await outdatedOfDeployment(client, owner as Frozen<MachineDeployment>, { machines, nowMs });
  const lines = [...progressLines(owner), ...inPlaceLines(owner, machines)];
  return { lines, machines, outdated: new Set(outdated), nowMs };
}

async function outdatedOfControlPlane(
  client: Client,
  controlPlane: Frozen<KubeadmControlPlane>,
  { machines, nowMs }: Pick<OwnerRollout, "machines" | "nowMs">,
): Promise<readonly string[]> {
  const { namespace = "", name } = controlPlane.metadata;
  const labelSelector = `${CONTROL_PLANE_NAME_LABEL}=${labelValueFor(name)}`;
  const configs = await client.list(KubeadmConfig, { namespace, labelSelector });
  const view = viewFromConditions({ controlPlane, cluster: undefined, machines, configs, nowMs });
  return view.machines.filter(({ outdated }) => outdated.length > 0).map((machine) => machine.name);
}

async function outdatedOfDeployment(
  client: Client,
  deployment: Frozen<MachineDeployment>,
  { machines, nowMs }: Pick<OwnerRollout, "machines" | "nowMs">,
): Promise<readonly string[]> {
  const { namespace = "", name, uid } = deployment.metadata;
  const labelSelector = `${DEPLOYMENT_NAME_LABEL}=${labelValueFor(name)}`;
  const sets = (await client.list(MachineSet, { namespace, labelSelector })).filter(
    (set) => controllerOf(set)?.uid === uid,
  );
  const isTaken = (other: string): boolean => sets.some(({ metadata }) => metadata.name === other);
  const { target } = planDeployment(deploymentViewOf({ deployment, sets, isTaken, nowMs, machines }));
  const targetUid = sets.find(({ metadata }) => metadata.name === target)?.metadata.uid;
  return machines
    .filter((machine) => controllerOf(machine)?.uid !== targetUid)
    .map(({ metadata }) => metadata.name);
}
