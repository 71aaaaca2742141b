/** The conditions of v1beta2 that every owner of machines has. */
import type { StandardConditionUpdate } from "@capstan/api";
import { counted } from "../rollout/shared/action.ts";

/** The size of an owner of machines. */
export interface OwnerSize {
  readonly desired: number;
  readonly replicas: number;
  /** Why no machine is created, or deleted, now. */
  readonly blocked?: readonly string[];
}

/** Whether machines are created. */
export function scalingUp({ desired, replicas, blocked = [] }: OwnerSize): StandardConditionUpdate {
  const type = "ScalingUp";
  if (replicas >= desired) return { type, status: "False", reason: "NotScalingUp", message: "" };
  return {
    type,
    status: "True",
    reason: "ScalingUp",
    message: sizeText("up", { desired, replicas, blocked }),
  };
}

/** Whether machines are deleted. */
export function scalingDown({ desired, replicas, blocked = [] }: OwnerSize): StandardConditionUpdate {
  const type = "ScalingDown";
  if (replicas <= desired) return { type, status: "False", reason: "NotScalingDown", message: "" };
  const message = sizeText("down", { desired, replicas, blocked });
  return { type, status: "True", reason: "ScalingDown", message };
}

function sizeText(way: string, { desired, replicas, blocked }: Required<OwnerSize>): string {
  return withCauses(`Scaling ${way} from ${replicas} to ${counted(desired, "replica")}`, blocked);
}

/** A sentence, and what holds it up. */
function withCauses(text: string, causes: readonly string[]): string {
  return causes.length === 0
    ? text
    : `${text} is blocked:\n${causes.map((cause) => `* ${cause}`).join("\n")}`;
}

/** Whether machines of an older template are replaced or updated. */
export function rollingOut(
  { outdated, replicas }: { readonly outdated: number; readonly replicas: number },
  causes: readonly string[],
): StandardConditionUpdate {
  const type = "RollingOut";
  if (outdated === 0) return { type, status: "False", reason: "NotRollingOut", message: "" };
  const message = withCauses(`Rolling out ${outdated} of ${counted(replicas, "machine")}`, causes);
  return { type, status: "True", reason: "RollingOut", message };
}

/** Whether the object is being deleted, and what that waits for. */
export function deletingCondition(
  { metadata }: { readonly metadata: { readonly deletionTimestamp?: string } },
  { reason = "Deleting", message }: { readonly reason?: string; readonly message: string },
): StandardConditionUpdate {
  const type = "Deleting";
  if (metadata.deletionTimestamp === undefined)
    return { type, status: "False", reason: "NotDeleting", message: "" };
  return { type, status: "True", reason, message };
}
