import {
  APPROVED_UPDATE_ANNOTATION,
  type Frozen,
  hasUpdateFailed,
  isUpdatePending,
  isUpdatingInPlace,
  type KubeadmControlPlane,
  type Machine,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import { verdictOf } from "../../../in-place/decisions.ts";
import { approvalOf, isInPlace } from "../../../in-place/strategy.ts";
import type { ControlPlaneUpdateView, MachineUpdate } from "@capstan/plan";
import { desiredKey } from "./desired-key.ts";

/** The facts for updates in place; undefined if machines are replaced. */
export function inPlaceView(
  controlPlane: Frozen<KubeadmControlPlane>,
  { isDisabled }: { readonly isDisabled: boolean },
): ControlPlaneUpdateView | undefined {
  if (!isInPlace(controlPlane.spec.rollout?.strategy)) return undefined;
  const { spec, status } = controlPlane;
  const key = desiredKey(controlPlane);
  const decisions = status?.inPlace?.key === key ? status.inPlace.decisions : [];
  const fallback = spec.rollout?.strategy?.fallbackRollingUpdate;
  return {
    key,
    isDisabled,
    verdicts: new Map(decisions.map((decision) => [decision.machine, verdictOf(decision)])),
    ...(fallback && { fallbackSurge: fallback.maxSurge === 0 ? 0 : 1 }),
    ...approvalOf(controlPlane.metadata, APPROVED_UPDATE_ANNOTATION),
  };
}

/** The update in place of a machine; undefined while there is none. */
export function machineUpdate(machine: Frozen<Machine>): MachineUpdate | undefined {
  if (!isUpdatingInPlace(machine)) return undefined;
  const key = machine.metadata.annotations?.[UPDATE_IN_PROGRESS_ANNOTATION] ?? "";
  if (hasUpdateFailed(machine)) return { state: "failed", key };
  return { state: isUpdatePending(machine) ? "running" : "begun", key };
}
