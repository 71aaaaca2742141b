import { type AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver";
import type { MachineView } from "@capstan/manager";
import { type Branch, tree } from "../render/tree.ts";
import { budgetLine } from "./budget-line.ts";
import { NODE_SCHEDULABLE, obstacleLines } from "./obstacles.ts";
import { noteLines, type RolloutState } from "./rollout-state.ts";

/** The rollout of a pool as a tree: its budget, its machines by what happens to them, and what is in the way. */
export function rolloutTree(state: RolloutState): string {
  const { view, plan, parts, title } = state;
  const resources = new Map(parts.machines.map((machine) => [machine.metadata.name, machine]));
  const groups = Map.groupBy(view.machines, (machine) => groupOf(machine, view.wantedHash));
  const machines = GROUPS.flatMap((group) => {
    const members = groups.get(group) ?? [];
    return members.length === 0 ? [] : [groupBranch(group, members, { resources, nowMs: view.nowMs })];
  });
  const lines = [...obstacleLines(state), ...noteLines(state)];
  const blocked = lines.map((text) => ({ text, parts: [] }));
  const budget = { text: budgetLine(plan.budget), parts: [] };
  return tree({ text: `${title}, model ${view.wantedHash}`, parts: [budget, ...machines, ...blocked] });
}

const GROUPS = ["up to date", "updating", "outdated", "leaving"] as const;

function groupOf(machine: MachineView, wantedHash: string): (typeof GROUPS)[number] {
  if (machine.isDeleting || machine.vmState === "Deleting") return "leaving";
  if (machine.picked === "update") return "updating";
  return machine.modelHash === wantedHash ? "up to date" : "outdated";
}

interface Looks {
  readonly resources: ReadonlyMap<string, Frozen<AzureMachinePoolMachine>>;
  readonly nowMs: number;
}

// Of many machines, those that need attention are shown and the rest is counted.
const SHOWN_AT_MOST = 10;

function groupBranch(group: string, members: readonly MachineView[], looks: Looks): Branch {
  const isSteady = group === "up to date" || group === "outdated";
  const shown = members
    .toSorted((a, b) => Number(a.isAvailable) - Number(b.isAvailable))
    .slice(0, SHOWN_AT_MOST)
    .map((machine) => ({ text: machineLine(machine, looks), parts: [] }));
  const more = members.length - shown.length;
  const rest = more > 0 ? [{ text: `and ${more} more`, parts: [] }] : [];
  const available = members.filter(({ isAvailable }) => isAvailable).length;
  const text = isSteady
    ? `${group}: ${members.length}, ${available} available`
    : `${group}: ${members.length}`;
  return { text, parts: [...shown, ...rest] };
}

function machineLine(machine: MachineView, { resources, nowMs }: Looks): string {
  const name = machine.name ?? `instance ${machine.instanceID ?? "?"}`;
  const resource = resources.get(machine.name ?? "");
  const message = messageOf(machine, resource);
  const looks = looksOf(machine, nowMs);
  return message === undefined ? `${name}   ${looks}` : `${name}   ${looks}: ${message}`;
}

function looksOf(machine: MachineView, nowMs: number): string {
  // A machine that is on its way out need not be available.
  if (machine.isDeleting || machine.picked !== undefined) return machine.vmState;
  if (machine.isAvailable) return "available";
  const since = machine.unavailableSinceMs;
  const forHow = since === undefined ? "" : ` for ${humanDuration(nowMs - since)}`;
  return `${machine.vmState}, not available${forHow}`;
}

/** The message of a machine: why its drain is blocked, else why it is not ready or takes no pods. */
function messageOf(
  machine: MachineView,
  resource: Frozen<AzureMachinePoolMachine> | undefined,
): string | undefined {
  const conditions = resource?.status?.conditions;
  const isOnItsWay = machine.isDeleting || machine.picked !== undefined;
  const types = isOnItsWay ? ["Drained", "Ready"] : ["Ready", NODE_SCHEDULABLE];
  const [said] = types
    .map((type) => getCondition(conditions, type))
    .filter((condition) => condition !== undefined && condition.status !== "True");
  if (said === undefined) return undefined;
  return [said.reason, said.message].filter((text) => text !== undefined && text !== "").join(", ");
}
