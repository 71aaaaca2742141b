import {
  type Frozen,
  isUpdatePending,
  isUpdatingInPlace,
  type KubeadmConfig,
  type KubeadmControlPlane,
  type Machine,
} from "@capstan/api";
import { isSameConfig } from "./kubeadm-form.ts";

/** A machine of a control plane with the objects it was made from, as far as they exist. */
export interface MachineObjects {
  readonly machine: Frozen<Machine>;
  readonly config: Frozen<KubeadmConfig> | undefined;
  /** The name of the template that its infrastructure was cloned from. */
  readonly template: string | undefined;
}

/** Why a machine differs from the desired state of its control plane; empty for an up-to-date one. */
export function outdatedReasons(
  { metadata, spec }: Frozen<KubeadmControlPlane>,
  { machine, config, template }: MachineObjects,
  nowMs: number,
): readonly string[] {
  const { infrastructureRef } = spec.machineTemplate.spec;
  const { version } = spec;
  return [
    ...begunReason(machine),
    ...newMachineReason(spec.rollout?.after, machine, nowMs),
    ...(machine.spec.version === version
      ? []
      : [`version ${machine.spec.version ?? "unset"} is not ${version}`]),
    ...(config && !isSameConfig(config.spec, spec.kubeadmConfigSpec ?? {}, version)
      ? [`spec.kubeadmConfigSpec of KubeadmControlPlane ${metadata.name} has changed`]
      : []),
    ...(template !== undefined && template !== infrastructureRef.name
      ? [`it was made from template ${template}, and the template is now ${infrastructureRef.name}`]
      : []),
  ];
}

/** Why only a new machine is up to date; empty if an update in place could make it so. */
export function newMachineReason(
  after: string | undefined,
  { metadata }: Frozen<Machine>,
  nowMs: number,
): readonly string[] {
  const afterMs = Date.parse(after ?? "");
  if (Number.isNaN(afterMs) || afterMs > nowMs) return [];
  const isOlder = Date.parse(metadata.creationTimestamp ?? "") < afterMs;
  return isOlder ? [`it is older than spec.rollout.after, ${after}`] : [];
}

/** Between its plan and its desired state, the objects of a machine may look up to date and are not. */
function begunReason(machine: Frozen<Machine>): readonly string[] {
  return isUpdatingInPlace(machine) && !isUpdatePending(machine) ? ["its update in place has begun"] : [];
}
