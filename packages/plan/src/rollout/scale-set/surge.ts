import { counted } from "../shared/action.ts";
import { type Blocked, type PoolAction, headingOf, modelsText } from "./action.ts";
import type { PoolState } from "./budget.ts";
import { MODELS_AT_MOST, hasTooManyModels, isModelHeld } from "./models.ts";
import { runningWrite } from "./running-write.ts";
import type { MachineView, PoolView } from "./view.ts";

/** The change of the scale set: one PUT or none. */
export interface Capacity {
  readonly put: PoolAction | undefined;
  readonly blocked: readonly Blocked[];
}

/** How many surge machines help to replace or update the staying machines. */
export function surgeFor(state: PoolState, staying: readonly MachineView[]): number {
  const { desired, maxSurge } = state.budget;
  const needing = staying.filter((machine) => needsSurge(state, machine)).length;
  return Math.min(maxSurge, needing, desired);
}

function needsSurge(state: PoolState, machine: MachineView): boolean {
  const { view, budget } = state;
  const isInPlace = view.instanceUpdate === "InPlace";
  // A machine updated in place does not leave, so the surge machine would have to be deleted, which only the autoscaler may do.
  if (isInPlace && view.isExternallyScaled) return false;
  const onlyBySurge = budget.maxUnavailable === 0;
  if (state.isToBeMoved(machine) && (!isInPlace || onlyBySurge)) return true;
  return machine.hasDeleteAnnotation && onlyBySurge;
}

/**
 * Updates the scale set to the desired model and adds missing machines and the surge of a rollout.
 *
 * The capacity is never lowered: Azure lowers it with each deleted instance, and a PUT that lowers it would let Azure
 * choose the instances to delete. Draining machines still count, so the pool never exceeds the ceiling.
 */
export function planCapacity(
  state: PoolState,
  options: { readonly going: ReadonlySet<string>; readonly mayAddForRollout: boolean },
): Capacity {
  const { view, budget } = state;
  const staying = state.staying.filter(({ name }) => name === undefined || !options.going.has(name));
  const surge = options.mayAddForRollout ? surgeFor(state, staying) : 0;
  const missing = budget.desired + surge - staying.length;
  const addable = Math.max(0, Math.min(missing, budget.ceiling - budget.live));
  const add = hasTooManyModels(view) ? 0 : addable;
  const blocked = [...modelBlocks(view, addable - add), ...mismatch(state, add)];
  if (runningWrite(view) === "ours") return { put: undefined, blocked };
  const to = Math.max(view.capacity, add > 0 ? budget.live + add : 0);
  const heading = { ...headingOf(view), targets: [view.name] };
  if (!state.isModelCurrent) {
    const detail = { hash: state.goalHash, from: view.capacity, to };
    return { put: { ...heading, action: "PutModel", detail, why: whyPut(state, add) }, blocked };
  }
  if (to === view.capacity) return { put: undefined, blocked };
  const detail = { from: view.capacity, to };
  return { put: { ...heading, action: "SetCapacity", detail, why: whyAdd(state, add) }, blocked };
}

/** Azure already counts machines that its list does not show: another PUT would change nothing or create too many. */
function mismatch({ view, budget, isModelCurrent }: PoolState, add: number): readonly Blocked[] {
  const isCounted = add > 0 && budget.live + add <= view.capacity;
  if (!isCounted || !isModelCurrent || view.operation !== undefined) return [];
  const why = `${counted(add, "machine")} missing: the scale set has capacity ${view.capacity}, but its list shows ${counted(budget.live, "instance")}`;
  return [{ ...headingOf(view), reason: "CapacityMismatch", targets: [view.name], why }];
}

function whyPut(state: PoolState, add: number): string {
  const { view, budget } = state;
  if (view.setHash === undefined) {
    return `the scale set does not exist yet; ${counted(budget.desired, "machine")} desired`;
  }
  const change = `the scale set has model ${modelsText(view.setHash)}, desired is ${modelsText(state.goalHash)}`;
  return add === 0 ? change : `${change}; ${whyAdd(state, add)}`;
}

function whyAdd(state: PoolState, add: number): string {
  const { desired, live, leaving, maxSurge } = state.budget;
  const existing = leaving === 0 ? `${live} exist` : `${live} exist, ${leaving} being deleted`;
  const limit = live + add > desired ? ` plus a surge of at most ${maxSurge}` : "";
  return `adding ${counted(add, "machine")}: ${desired} desired${limit}, ${existing}`;
}

function modelBlocks(view: PoolView, heldBack: number): readonly Blocked[] {
  const block = (why: string): Blocked => ({
    ...headingOf(view),
    reason: "TooManyModels",
    targets: [view.name],
    why,
  });
  const models = new Set(view.modelsInUse).size;
  if (heldBack > 0) {
    return [
      block(
        `cannot add ${counted(heldBack, "machine")}: ${models} models are in use, and Azure allows ${MODELS_AT_MOST}`,
      ),
    ];
  }
  if (!isModelHeld(view)) return [];
  if (view.isModelRejected) {
    return [
      block(
        `model ${modelsText(view.desiredHash)} waits: Azure reports too many models, so machines with older models are replaced first`,
      ),
    ];
  }
  return [
    block(
      `model ${modelsText(view.desiredHash)} waits until one of the ${models} models in use has no machines left: Azure allows ${MODELS_AT_MOST}`,
    ),
  ];
}
