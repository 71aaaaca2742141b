import { IN_PLACE_STRATEGIES } from "@capstan/api";

/** Whether a rollout strategy, of a MachineDeployment or of a KubeadmControlPlane, updates machines in place. */
export function isInPlace(strategy: { readonly type?: string | undefined } | undefined): boolean {
  return IN_PLACE_STRATEGIES.includes(strategy?.type ?? "");
}
