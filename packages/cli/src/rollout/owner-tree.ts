import {
  type Frozen,
  hasUpdateFailed,
  isUpdatingInPlace,
  type Machine,
  reportedCondition,
} from "@capstan/api";
import { humanDuration } from "@capstan/apiserver/human-duration";
import { byNumber } from "../render/by-number.ts";
import { type Branch, tree } from "../render/tree.ts";
import type { OwnerRollout } from "./owner-progress.ts";

/** An owner of machines as its rollout is shown. */
interface ShownOwner extends Pick<OwnerRollout, "machines" | "outdated" | "nowMs"> {
  /** The owner and its numbers, then what holds the rollout up, and how fast it is. */
  readonly lines: readonly string[];
}

const GROUPS = ["updating", "update failed", "leaving", "starting", "outdated", "up to date"] as const;
type Group = (typeof GROUPS)[number];

// A title, a line for each group and one for what is not shown; a machine that is updated has two lines.
const OTHER_ROWS = 1 + 2 * GROUPS.length;

/** The machines of an owner as a tree, by what happens to them: those that updaters work on with the progress. */
export function ownerTree({ lines, machines, outdated, nowMs }: ShownOwner, rows = 40): string {
  const groups = Map.groupBy(machines, (machine) => ownerGroupOf(machine, outdated));
  const [title = "", ...holds] = lines;
  let room = Math.max(rows - OTHER_ROWS - holds.length, 2);
  const parts = GROUPS.flatMap((group) => {
    const members = (groups.get(group) ?? []).toSorted((a, b) => byName(a, b));
    if (members.length === 0) return [];
    const branches = members.slice(0, room).map((machine) => machineBranch(machine, nowMs));
    room = Math.max(room - branches.length - branches.flatMap((branch) => branch.parts).length, 0);
    const more = members.length - branches.length;
    const rest = more > 0 ? [{ text: `and ${more} more`, parts: [] }] : [];
    return [{ text: `${group}: ${members.length}`, parts: [...branches, ...rest] }];
  });
  return tree({ text: title, parts: [...parts, ...holds.map((text) => ({ text, parts: [] }))] });
}

function byName(a: Frozen<Machine>, b: Frozen<Machine>): number {
  return byNumber(a.metadata.name, b.metadata.name);
}

/** What happens to a machine. */
export function ownerGroupOf(machine: Frozen<Machine>, outdated: ReadonlySet<string>): Group {
  const { metadata, status } = machine;
  if (metadata.deletionTimestamp !== undefined) return "leaving";
  if (hasUpdateFailed(machine)) return "update failed";
  if (isUpdatingInPlace(machine)) return "updating";
  if (!status?.nodeRef) return "starting";
  return outdated.has(metadata.name) ? "outdated" : "up to date";
}

function machineBranch(machine: Frozen<Machine>, nowMs: number): Branch {
  const { metadata } = machine;
  const versions = versionsOf(machine);
  if (isUpdatingInPlace(machine))
    return {
      text: `${metadata.name}   ${versions}`,
      parts: [{ text: progressOf(machine, nowMs), parts: [] }],
    };
  const isReady = reportedCondition(machine, "Ready")?.status === "True";
  return { text: `${metadata.name}   ${versions}${isReady ? "" : ", not ready"}`, parts: [] };
}

/** The version that runs, and the desired one if it is another. */
function versionsOf({ spec, status }: Frozen<Machine>): string {
  const { version = "no version" } = spec;
  const running = status?.nodeInfo?.kubeletVersion ?? version;
  return running === version ? version : `${running} to ${version}`;
}

/** The updater, how long it works, and its last answer. */
function progressOf({ spec, status }: Frozen<Machine>, nowMs: number): string {
  const { updaters = [] } = spec;
  if (!status?.update)
    return updaters.length === 0 ? "about to end" : `waits for ${updaters.join(", then ")}`;
  const { updater = "", since, attempts = 0, message } = status.update;
  const forHow = humanDuration(Math.max(nowMs - Date.parse(since), 0));
  const calls = attempts === 1 ? "1 call" : `${attempts} calls`;
  const left = updaters.slice(1).map((name) => `, then ${name}`);
  return `${updater} for ${forHow}, ${calls}${left.join("")}${message === undefined ? "" : `: ${message}`}`;
}
