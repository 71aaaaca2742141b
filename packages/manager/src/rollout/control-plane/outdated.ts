import type { Frozen, KubeadmConfig, KubeadmControlPlane, Machine } from "@capstan/api";
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
  const { infrastructureRef } = spec.machineTemplate;
  const { version } = spec;
  return [
    ...restartReason(spec.rolloutAfter, machine, nowMs),
    ...(machine.spec.version === version
      ? []
      : [`version ${machine.spec.version ?? "unset"} is not ${version}`]),
    ...(config && !isSameConfig(config.spec, spec.kubeadmConfigSpec, version)
      ? [`spec.kubeadmConfigSpec of KubeadmControlPlane ${metadata.name} has changed`]
      : []),
    ...(template !== undefined && template !== infrastructureRef.name
      ? [`it was made from template ${template}, and the template is now ${infrastructureRef.name}`]
      : []),
  ];
}

function restartReason(
  after: string | undefined,
  { metadata }: Frozen<Machine>,
  nowMs: number,
): readonly string[] {
  const afterMs = Date.parse(after ?? "");
  if (Number.isNaN(afterMs) || afterMs > nowMs) return [];
  const isOlder = Date.parse(metadata.creationTimestamp ?? "") < afterMs;
  return isOlder ? [`it is older than spec.rolloutAfter, ${after}`] : [];
}
