import { resolveRolloutBudget, scaledValue } from "@capstan/api";
import { counted } from "../shared/action.ts";
import { isModelHeld, moversWhileHeld } from "./models.ts";
import {
  type MachineView,
  type PoolView,
  type WholeMachine,
  isAvailable,
  isLeaving,
  isLive,
  isUpdating,
  isWhole,
  machinesOf,
} from "./view.ts";

/** The numbers behind every decision; the budget line of `rollout status` prints them. */
export interface Budget {
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  /** Instances that Azure has not begun to delete. */
  readonly live: number;
  readonly available: number;
  readonly upToDate: number;
  readonly outdated: number;
  readonly updating: number;
  readonly leaving: number;
  /** The largest number of machines that may exist. */
  readonly ceiling: number;
  /** The smallest number of machines that must be available. */
  readonly floor: number;
  /** How many available machines may be disrupted now. */
  readonly disruptionsLeft: number;
}

/** A pool with its machines grouped by what the controller may do with them. */
export interface PoolState {
  readonly view: PoolView;
  readonly budget: Budget;
  /** The model that machines are replaced with or updated to. */
  readonly goalHash: string;
  /** Whether a machine is replaced or updated now. */
  readonly isToBeMoved: (machine: MachineView) => boolean;
  /** Whether instances that are created or updated now get that model. */
  readonly isModelCurrent: boolean;
  readonly machines: readonly MachineView[];
  /** Live machines that are not being deleted. */
  readonly staying: readonly MachineView[];
  /** The staying machines that have a resource and are not being updated in place. */
  readonly free: readonly WholeMachine[];
}

export function stateOf(view: PoolView): PoolState {
  const machines = machinesOf(view);
  const staying = machines.filter((machine) => isLive(machine) && !isLeaving(machine));
  const heldHash = isModelHeld(view) ? view.setHash : undefined;
  const goalHash = heldHash ?? view.desiredHash;
  return {
    view,
    budget: budgetOf({ view, machines, staying, goalHash }),
    goalHash,
    isToBeMoved:
      heldHash === undefined ? ({ modelHash }) => modelHash !== goalHash : moversWhileHeld(staying, heldHash),
    isModelCurrent: view.setHash === goalHash,
    machines,
    staying,
    free: staying.filter(isWhole).filter((machine) => !isUpdating(machine) && machine.isDonor !== true),
  };
}

function budgetOf({ view, machines, staying, goalHash }: Counting): Budget {
  const { desired } = view;
  // Limits of a spec that cannot be built may not be numbers.
  const limits = view.specProblem === undefined ? view : { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge, maxUnavailable } = resolveRolloutBudget(limits, desired);
  const available = machines.filter(isAvailable).length;
  const upToDate = staying.filter((machine) => machine.modelHash === goalHash).length;
  const floor = desired - maxUnavailable;
  return {
    desired,
    maxSurge,
    maxUnavailable,
    live: machines.filter(isLive).length,
    available,
    upToDate,
    outdated: staying.length - upToDate,
    updating: staying.filter(isUpdating).length,
    leaving: machines.filter((machine) => machine.instanceID !== undefined && isLeaving(machine)).length,
    ceiling: desired + maxSurge,
    floor,
    disruptionsLeft: Math.max(0, available - floor),
  };
}

/** A note about the limit that applies when the limits of a rollout round to 0; otherwise undefined. */
export function roundingNote({ maxSurge, maxUnavailable, desired }: PoolView): string | undefined {
  const isNone =
    scaledValue(maxSurge, desired, "up") === 0 && scaledValue(maxUnavailable, desired, "down") === 0;
  if (!isNone || desired === 0) return undefined;
  const [surge, unavailable] = [maxSurge, maxUnavailable].map((limit) => JSON.stringify(limit));
  return `maxSurge ${surge} and maxUnavailable ${unavailable} round to 0 for ${counted(desired, "machine")}; 1 machine at a time may be unavailable`;
}

interface Counting {
  readonly view: PoolView;
  readonly machines: readonly MachineView[];
  readonly staying: readonly MachineView[];
  readonly goalHash: string;
}
