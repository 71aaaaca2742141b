import { type Frozen, type Machine, type MachineSet, RECEIVES_MACHINES_ANNOTATION } from "@capstan/api";
import {
  type DeploymentAction,
  keptRecords,
  recordedUpdatersLeft,
  type UpdateRecord,
  type UpdateRecords,
  updateRecordsOf,
} from "@capstan/plan";
import { namesIn } from "../../../machines/recorded-moves.ts";
import type { Scope } from "../scope.ts";

/** A move of a machine to another set, as it was planned. */
export type Move = DeploymentAction & { readonly action: "MoveMachine" };

/** The updates that a set records: those of the machines that it has, and those that the plan moves to it. */
export function startedUpdates(
  { sets, machines }: Pick<Scope, "sets" | "machines">,
  set: Frozen<MachineSet>,
  actions: readonly DeploymentAction[],
): UpdateRecords {
  const { metadata, spec } = set;
  const received = new Set(namesIn(set, RECEIVES_MACHINES_ANNOTATION));
  const kept = keptRecords({
    records: updateRecordsOf(set),
    machines: machines.get(metadata.uid ?? "") ?? [],
    version: spec.template.spec.version,
    isKnown: (name) => received.has(name),
  });
  const moves = actions.filter(
    (action): action is Move => action.action === "MoveMachine" && action.detail.to === metadata.name,
  );
  const planned = moves.flatMap((move) => {
    const from = sets.find(({ metadata: { name } }) => name === move.detail.from);
    const [name = ""] = move.targets;
    const machine = machines.get(from?.metadata.uid ?? "")?.find((one) => one.metadata.name === name);
    return from && machine ? [[name, plannedUpdate(machine, { from, to: set, move })] as const] : [];
  });
  return new Map([...kept, ...planned]);
}

interface PlannedMove {
  readonly from: Frozen<MachineSet>;
  readonly to: Frozen<MachineSet>;
  readonly move: Move;
}

/** The update that a move begins. One that is recorded already stays: the machine may have moved, unseen by the cache. */
export function plannedUpdate(
  machine: Frozen<Machine>,
  { from, to, move: { detail } }: PlannedMove,
): UpdateRecord {
  const { name } = machine.metadata;
  const recorded = updateRecordsOf(to).get(name);
  if (recorded) return recorded;
  // A failed update left changes undone: its updaters run again, beside those of the new plan.
  const before = updateRecordsOf(from).get(name);
  const left = recordedUpdatersLeft(machine, before);
  const version = to.spec.template.spec.version ?? null;
  const needsDrain = detail.needsDrain === true || (left.length > 0 && before?.needsDrain === true);
  const updaters = [...new Set([...detail.updaters, ...left])];
  return { updaters, version, key: "", ...(needsDrain && { needsDrain }) };
}
