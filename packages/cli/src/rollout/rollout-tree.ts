import { type AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";
import type { MachineView } from "@capstan/plan";
import { isTrouble } from "../describe/trouble.ts";
import { byNumber } from "../render/by-number.ts";
import { type Branch, tree } from "../render/tree.ts";
import { budgetLine } from "./budget-line.ts";
import { NODE_SCHEDULABLE, obstacleLines } from "./obstacles.ts";
import { type Pace, paceLine } from "./pace.ts";
import { momentOf, noteLines, type RolloutState } from "./rollout-state.ts";

/** The window, and how fast the rollout is. */
export interface TreeLook {
  /** The lines that the tree may have. */
  readonly rows?: number;
  readonly pace?: Pace | undefined;
}

/** The rollout of a pool as a tree: its budget, its machines by what happens to them, and what is in the way. */
export function rolloutTree(state: RolloutState, { rows = 40, pace }: TreeLook = {}): string {
  const { view, plan, parts, title } = state;
  const resources = new Map(parts.machines.map((machine) => [machine.metadata.name, machine]));
  const groups = Map.groupBy(view.machines, (machine) => poolGroupOf(machine, view.desiredHash));
  const lines = [...obstacleLines(state), ...noteLines(state)];
  const head = [budgetLine(plan.budget), ...(pace ? [paceLine(pace, momentOf(state))] : [])];
  // Each group has a line for its name and one for the machines that are not shown; the title has one, too.
  const room = rows - 1 - head.length - lines.length - 2 * groups.size;
  const limits = sharesOf(room, new Map([...groups].map(([group, members]) => [group, members.length])));
  const machines = GROUPS.flatMap((group) => {
    const members = groups.get(group) ?? [];
    const looks = { resources, nowMs: view.nowMs, shownAtMost: limits.get(group) ?? 0 };
    return members.length === 0 ? [] : [groupBranch(group, members, looks)];
  });
  const leaf = (text: string): Branch => ({ text, parts: [] });
  const branches = [...head.map(leaf), ...machines, ...lines.map(leaf)];
  return tree({ text: `${title}, model ${view.desiredHash}`, parts: branches });
}

/** Divides lines among groups: small groups get what they need, and leave the rest to large ones. */
function sharesOf<K>(lines: number, sizes: ReadonlyMap<K, number>): ReadonlyMap<K, number> {
  const shares = new Map<K, number>();
  let left = Math.max(0, lines);
  for (const [group, size] of [...sizes].sort(([, a], [, b]) => a - b)) {
    const share = Math.min(size, Math.floor(left / (sizes.size - shares.size)));
    shares.set(group, share);
    left -= share;
  }
  return shares;
}

const GROUPS = ["up to date", "updating", "outdated", "leaving"] as const;

/** What happens to a machine. */
export function poolGroupOf(machine: MachineView, desiredHash: string): (typeof GROUPS)[number] {
  if (machine.isDeleting || machine.vmState === "Deleting") return "leaving";
  if (machine.picked === "update") return "updating";
  return machine.modelHash === desiredHash ? "up to date" : "outdated";
}

interface Looks {
  readonly resources: ReadonlyMap<string, Frozen<AzureMachinePoolMachine>>;
  readonly nowMs: number;
  /** Of more machines, those that need attention are shown and the rest is counted. */
  readonly shownAtMost: number;
}

function groupBranch(group: string, members: readonly MachineView[], looks: Looks): Branch {
  const isSteady = group === "up to date" || group === "outdated";
  const shown = members
    .toSorted((a, b) => Number(a.isAvailable) - Number(b.isAvailable) || byNumber(a.name ?? "", b.name ?? ""))
    .slice(0, looks.shownAtMost)
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
  const looks = looksOf(machine, nowMs, resource?.status?.conditions?.some(isTrouble) === true);
  return message === undefined ? `${name}   ${looks}` : `${name}   ${looks}: ${message}`;
}

function looksOf(machine: MachineView, nowMs: number, isInTrouble: boolean): string {
  // A machine that is on its way out need not be available.
  if (machine.isDeleting || machine.picked !== undefined) return machine.vmState;
  if (machine.isAvailable) return "available";
  const since = machine.unavailableSinceMs;
  const forHow = since === undefined ? "" : ` for ${humanDuration(nowMs - since)}`;
  return `${machine.vmState}, ${isInTrouble ? "in trouble" : "not available"}${forHow}`;
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
