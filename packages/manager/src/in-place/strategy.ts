import { type Frozen, IN_PLACE_STRATEGIES, type ObjectMeta, UPDATE_APPROVAL_ANNOTATION } from "@capstan/api";

/** Whether a rollout strategy, of a MachineDeployment or of a KubeadmControlPlane, updates machines in place. */
export function isInPlace(strategy: { readonly type?: string | undefined } | undefined): boolean {
  return IN_PLACE_STRATEGIES.includes(strategy?.type ?? "");
}

/** Whether a user must approve an update after its first machine, and the one that an annotation approves. */
export function approvalOf(
  { annotations }: Pick<Frozen<ObjectMeta>, "annotations">,
  approvedAnnotation: string,
): { readonly approval?: { readonly approved: string | undefined } } {
  if (annotations?.[UPDATE_APPROVAL_ANNOTATION] !== "required") return {};
  return { approval: { approved: annotations[approvedAnnotation] } };
}
