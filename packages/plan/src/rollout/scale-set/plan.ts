import { counted } from "../shared/action.ts";
import { type Blocked, type Cause, type PoolAction, headingOf, isChangeOfSet, modelsText } from "./action.ts";
import { type Budget, type PoolState, stateOf } from "./budget.ts";
import { isUpdatedInPlace, updateWave } from "./in-place.ts";
import { planInstanceOperations } from "./instances/operations.ts";
import { planRemoval } from "./removal-guard.ts";
import { pickWithinBudget } from "./replace.ts";
import { type RunningWrite, runningWrite } from "./running-write.ts";
import { pickSurplus } from "./scale-down.ts";
import { pickStuck } from "./stuck.ts";
import { byInstanceID } from "./selection.ts";
import { planCapacity } from "./surge.ts";
import { canRejoin, renewForUpdates } from "./upkeep/bootstrap-data.ts";
import { planUpkeep } from "./upkeep/upkeep.ts";
import { type PoolView, type WholeMachine, isLive } from "./view.ts";
import { planWaits } from "./waits.ts";

/** The next actions of a pool, the blocks that prevent more, and the numbers behind the decision. */
export interface PoolPlan {
  readonly actions: readonly PoolAction[];
  readonly blocked: readonly Blocked[];
  readonly budget: Budget;
  /** Whose write of the scale set runs; changes of the scale set wait for its end. */
  readonly runningWrite?: RunningWrite;
}

/** The name of the AzureMachinePoolMachine of an instance. */
export function machineResourceName(pool: string, instanceID: string): string {
  return `${pool}-${instanceID}`;
}

/**
 * Decides the next actions of a pool, in the order in which the controller performs them. Changes of the scale set itself
 * come last, because each starts an operation and so ends the pass.
 */
export function planPool(view: PoolView): PoolPlan {
  const state = stateOf(view);
  const { budget } = state;
  const operations = planInstanceOperations(view);
  const halt = haltOf(view);
  if (halt) return { actions: operations.actions, blocked: [halt, ...operations.blocked], budget };
  const { actions, blocked } = planRollout(state);
  const isUpdateHeld = operations.blocked.some(({ reason }) => reason === "BootstrapDataExpired");
  const upkeep = planUpkeep(state, { rollout: actions, isUpdateHeld });
  const running = runningWrite(view);
  return {
    actions: [...actions, ...upkeep, ...operations.actions],
    blocked: [...blocked, ...operations.blocked],
    budget,
    ...(running && { runningWrite: running }),
  };
}

/** Why the pool controller decides nothing about machines and the scale set. */
function haltOf(view: PoolView): Blocked | undefined {
  const halt = (reason: "Paused" | "InvalidSpec", why: string): Blocked => ({
    ...headingOf(view),
    reason,
    targets: [view.name],
    why,
  });
  if (view.isPaused)
    return halt(
      "Paused",
      "the pool or its cluster is paused; running operations continue, and no new one starts",
    );
  return view.specProblem === undefined ? undefined : halt("InvalidSpec", view.specProblem);
}

/**
 * The actions that one pass performs: of the changes of the scale set the first, because each may start an operation, and
 * the next one needs a fresh read. While a write of the scale set runs, another one would preempt it half done.
 */
export function actionsOfPass({
  actions,
  runningWrite: running,
}: Pick<PoolPlan, "actions" | "runningWrite">): readonly PoolAction[] {
  const first = running ? undefined : actions.find(isChangeOfSet);
  return actions.filter((action) => !isChangeOfSet(action) || action === first);
}

/** Decides what brings the pool to its size and its model. */
function planRollout(state: PoolState): Pick<PoolPlan, "actions" | "blocked"> {
  const { view } = state;
  const adoption = adopt(state);
  const removal = planRemoval(view);
  // If the list of instances is not trustworthy, it must not cause other deletions or additions either.
  if (removal.blocked) return { actions: adoption, blocked: [removal.blocked] };
  const disruption = planDisruption(state);
  const actions = [...adoption, ...(removal.remove ? [removal.remove] : []), ...disruption.actions];
  const capacity = planCapacity(state, disruption);
  if (capacity.put) actions.push(capacity.put);
  const steps = [...actions, ...planWaits(state, disruption.going)];
  return {
    actions: steps.length > 0 ? steps : mendSet(state),
    blocked: [...disruption.blocked, ...capacity.blocked],
  };
}

/**
 * The last change has failed, but its effects exist for other reasons, so no other write would follow. One more write
 * clears Azure's failed state.
 */
function mendSet({ view, goalHash }: PoolState): readonly PoolAction[] {
  if (!view.isSetFailed) return [];
  const detail = { hash: goalHash, from: view.capacity, to: view.capacity };
  const why = "Azure reports that the last change of the scale set has failed";
  return [{ ...headingOf(view), action: "PutModel", targets: [view.name], detail, why }];
}

interface Disruption {
  readonly actions: readonly PoolAction[];
  readonly blocked: readonly Blocked[];
  /** The names of the machines that were picked to be deleted now. */
  readonly going: ReadonlySet<string>;
  readonly mayAddForRollout: boolean;
}

function planDisruption(state: PoolState): Disruption {
  const stuck = pickStuck(state);
  const going = new Set(stuck.picks.map(({ name }) => name));
  const surplus = pickSurplus(state, going);
  for (const { name } of surplus) going.add(name);
  const budgeted = pickWithinBudget(state, { going, isScalingDown: surplus.length > 0 });
  const replaced = budgeted.outdated.filter((machine) => !isUpdatedInPlace(state, machine));
  const updated = budgeted.outdated.filter((machine) => isUpdatedInPlace(state, machine));
  for (const { name } of [...budgeted.annotated, ...replaced]) going.add(name);
  const actions = [
    ...deletion(state, "Stuck", stuck.picks),
    ...deletion(state, "ScaleDown", surplus),
    ...deletion(state, "Annotated", budgeted.annotated),
    ...deletion(state, "Outdated", replaced),
    ...(updated.length > 0 ? startOfWave(state, updated) : []),
  ];
  return {
    actions,
    blocked: [...stuck.blocked, ...budgeted.blocked],
    going,
    mayAddForRollout: budgeted.mayAddForRollout,
  };
}

/** Machines of the wave join again, so the scale set must have bootstrap data that is valid long enough. */
function startOfWave(state: PoolState, wave: readonly WholeMachine[]): readonly PoolAction[] {
  const { view } = state;
  return [...(canRejoin(view) ? [] : [renewForUpdates(view)]), updateWave(state, wave)];
}

function adopt(state: PoolState): readonly PoolAction[] {
  const { view } = state;
  const instanceIDs = state.machines
    .filter((machine) => machine.name === undefined && isLive(machine))
    .flatMap(({ instanceID }) => instanceID ?? []);
  if (instanceIDs.length === 0) return [];
  const surgeInstanceIDs = surgeAmong(state, instanceIDs);
  const detail = { instanceIDs, ...(surgeInstanceIDs.length > 0 && { surgeInstanceIDs }) };
  const targets = instanceIDs.map((instanceID) => machineResourceName(view.name, instanceID));
  const why = `${counted(instanceIDs.length, "instance")} ${instanceIDs.length === 1 ? "has" : "have"} no AzureMachinePoolMachine yet`;
  return [{ ...headingOf(view), action: "CreateMachineResource", targets, detail, why }];
}

/** Where machines are updated in place, records which ones exceed the desired number: exactly those are deleted later. */
function surgeAmong({ view, budget, staying }: PoolState, instanceIDs: readonly string[]): readonly string[] {
  if (view.instanceUpdate !== "InPlace" || view.isExternallyScaled) return [];
  const known = staying.filter(({ isSurge }) => isSurge).length;
  const beyond = Math.max(0, staying.length - budget.desired - known);
  return instanceIDs.toSorted(byInstanceID).slice(Math.max(0, instanceIDs.length - beyond));
}

function deletion(state: PoolState, cause: Cause, machines: readonly WholeMachine[]): readonly PoolAction[] {
  if (machines.length === 0) return [];
  const targets = machines.map(({ name }) => name);
  const why = whyDeleted(state, cause, machines);
  return [{ ...headingOf(state.view), action: "DeleteMachine", targets, detail: { cause }, why }];
}

function whyDeleted(state: PoolState, cause: Cause, machines: readonly WholeMachine[]): string {
  const { budget, goalHash } = state;
  const count = counted(machines.length, "machine");
  const within = `${budget.available} available, at least ${budget.floor} must stay available`;
  const hashes = modelsText(...machines.map(({ modelHash }) => modelHash));
  const states = [...new Set(machines.map(({ vmState }) => vmState))].sort().join(", ");
  switch (cause) {
    case "Stuck":
      return `${count} (${states}, model ${hashes}) unavailable for more than 10 minutes; replacing costs no availability`;
    case "ScaleDown":
      return `scaling down to ${counted(budget.desired, "replica")} (${count} to delete)`;
    case "Annotated":
      return `${count} annotated for deletion; ${within}`;
    case "Outdated":
      if (hashes === modelsText(goalHash))
        return `${count} with an earlier edition of model ${hashes}; Azure counts every edition and has too many; ${within}`;
      return `${count} with model ${hashes}, desired is ${modelsText(goalHash)}; ${within}`;
  }
}
