import { type AzureMachinePoolMachine, type Frozen, getCondition, type Node } from "@capstan/api";
import type { ScaleSetInstance } from "@capstan/azure";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { NO_NODE } from "../../workload/drain/drain-machine.ts";
import { DRAINED } from "../azuremachinepoolmachine/conditions.ts";

/** A machine that is about to be deleted or updated, with its Node from the watch. */
export interface DisruptionCandidate {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly seen: ScaleSetInstance;
  readonly node: Frozen<Node> | undefined;
}

/** Whether the instance of a drained machine may be deleted now. */
export function isLeaving({ machine, seen, node }: DisruptionCandidate): boolean {
  const { deletionTimestamp } = machine.metadata;
  if (deletionTimestamp === undefined || seen.provisioningState === "Deleting") return false;
  // A machine that is deleted right after its update: the Drained condition is about the Node before the update.
  const { nodeUID } = machine.status?.instanceUpdate ?? {};
  return (
    (nodeUID === undefined || !node || node.metadata.uid === nodeUID) && !hasJoinedLate({ machine, node })
  );
}

/** Whether a Node has joined after its machine counted as drained because it had none: the machine drains it first. */
function hasJoinedLate({ machine, node }: Pick<DisruptionCandidate, "machine" | "node">): boolean {
  const drained = getCondition(machine.status?.conditions, DRAINED);
  return drained?.reason === NO_NODE && node !== undefined && isNodeReady(node);
}

/** Whether the instance of a drained machine may be updated now. */
export function isUpdating({ machine, seen }: DisruptionCandidate): boolean {
  const { deletionTimestamp } = machine.metadata;
  const isAsked = deletionTimestamp === undefined && updateOf(machine) !== undefined;
  // Azure refuses a second operation on an instance; the planner handles one whose operation failed.
  return isAsked && machine.status?.instanceUpdate !== undefined && seen.provisioningState === "Succeeded";
}

/** Whether a machine is back from its update while yet another model is desired: pods may run on it, so it must be drained again. */
export function isBack({ machine, node }: DisruptionCandidate): boolean {
  return (
    node !== undefined && isNodeReady(node) && node.metadata.uid !== machine.status?.instanceUpdate?.nodeUID
  );
}
