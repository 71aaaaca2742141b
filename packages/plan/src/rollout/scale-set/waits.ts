import { counted, isOrAre } from "../shared/action.ts";
import { type PoolAction, headingOf, modelsText } from "./action.ts";
import type { PoolState } from "./budget.ts";
import { type MachineView, isAvailable, isLeaving, isUpdating } from "./view.ts";

/** The events that the pool waits for, each with its machines; a settled pool waits for nothing. */
export function planWaits(state: PoolState, going: ReadonlySet<string>): readonly PoolAction[] {
  const { view } = state;
  const wait = (waitsFor: WaitsFor, targets: readonly string[], why: string): PoolAction => ({
    ...headingOf(view),
    action: "Wait",
    targets,
    detail: { for: waitsFor },
    why,
  });
  const waits: PoolAction[] = [];
  const { operation } = view;
  if (operation !== undefined) {
    const seconds = Math.max(0, Math.round((view.nowMs - operation.sinceMs) / 1000));
    waits.push(
      wait(
        "Operation",
        [view.name],
        `${operation.kind} of the scale set has run for ${counted(seconds, "second")}`,
      ),
    );
  }
  const leaving = namesOf(state.machines.filter((machine) => isLeaving(machine)));
  if (leaving.length > 0) {
    waits.push(
      wait(
        "Deletion",
        leaving,
        `${counted(leaving.length, "machine")} ${isOrAre(leaving.length)} being deleted`,
      ),
    );
  }
  const updating = state.staying.filter(isUpdating);
  if (updating.length > 0) {
    const hashes = modelsText(...updating.map((machine) => machine.updatingToHash ?? state.goalHash));
    const why = `${counted(updating.length, "machine")} ${isOrAre(updating.length)} being updated in place to model ${hashes}`;
    waits.push(wait("Update", namesOf(updating), why));
  }
  const coming = namesOf(
    state.staying.filter(
      (machine) => !isUpdating(machine) && !isAvailable(machine) && !isGoing(machine, going),
    ),
  );
  if (coming.length > 0) {
    waits.push(
      wait(
        "Availability",
        coming,
        `${counted(coming.length, "machine")} ${isOrAre(coming.length)} not available`,
      ),
    );
  }
  return waits;
}

type WaitsFor = Extract<PoolAction, { action: "Wait" }>["detail"]["for"];

function isGoing(machine: MachineView, going: ReadonlySet<string>): boolean {
  return machine.name !== undefined && going.has(machine.name);
}

function namesOf(machines: readonly MachineView[]): readonly string[] {
  return machines.flatMap(({ name }) => name ?? []);
}
