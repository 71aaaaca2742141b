import { counted } from "../shared/action.ts";
import { type PoolAction, headingOf, modelsText } from "./action.ts";
import type { PoolState } from "./budget.ts";
import { type WholeMachine, isBroken } from "./view.ts";

/** Whether an outdated machine keeps its instance: its VM must work, and its model must differ from the desired one. */
export function isUpdatedInPlace({ view, goalHash }: PoolState, machine: WholeMachine): boolean {
  return view.instanceUpdate === "InPlace" && machine.modelHash !== goalHash && !isBroken(machine);
}

/** Starts one wave of updates in place. */
export function updateWave(state: PoolState, wave: readonly WholeMachine[]): PoolAction {
  const { view, budget, goalHash } = state;
  const hashes = modelsText(...wave.map(({ modelHash }) => modelHash));
  const why =
    `${counted(wave.length, "machine")} with model ${hashes}, desired is ${modelsText(goalHash)}; ` +
    `${budget.available} available, at least ${budget.floor} must stay available; data on local disks is lost`;
  return {
    ...headingOf(view),
    action: "UpdateMachineInPlace",
    targets: wave.map(({ name }) => name),
    detail: { hash: goalHash, losesLocalData: true },
    why,
  };
}
