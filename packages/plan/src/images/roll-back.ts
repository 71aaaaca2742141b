/** Whether the image in use is rolled back without a user: by the nodes that were created since its promotion. */
import type { PrototypeRecord } from "./record.ts";

/** A machine that was created around the promotion, and what became of it. */
export interface NewMachine {
  readonly machine: string;
  /** Whether it boots from the version in use, or from an image before. */
  readonly image: "new" | "before";
  readonly createdMs: number;
  /** A machine that Azure did not create, for lack of quota or capacity, is neither joined nor failed. */
  readonly join: "joined" | "failed" | "pending";
}

/** What is recorded of the nodes since a promotion; nothing while all of them join. */
type JoinRecord = NonNullable<PrototypeRecord["joins"]>;

/** Everything that decides a roll-back. */
export interface RollbackFacts {
  readonly nowMs: number;
  /** The version in use, and when it was promoted; undefined while machines boot from the image in the spec. */
  readonly active: { readonly version: string; readonly promotedMs: number } | undefined;
  /** How long after the promotion; 0 switches roll-backs off. */
  readonly windowMs: number;
  /** Whether a user has pinned the version. */
  readonly isPinned: boolean;
  readonly recorded: JoinRecord | undefined;
  readonly machines: readonly NewMachine[];
}

/** The decision, and what is recorded. */
export type RollbackDecision =
  | { readonly do: "nothing" }
  | { readonly do: "record" | "rollBack"; readonly joins: JoinRecord; readonly why: string };

const LEAST_MACHINES = 3;
const LEAST_FAILED = 2;
/** More names would say nothing new. */
const MOST_NAMES = 20;

/**
 * Rolls back when at least two of at least three nodes from the version failed to join, and none from an image before in the
 * same window: then the cause is not the cluster. Machines that failed are recorded, because health checks replace them.
 */
export function decideRollback(facts: RollbackFacts): RollbackDecision {
  const { nowMs, active, windowMs, isPinned } = facts;
  if (!active || nowMs >= active.promotedMs + windowMs) return { do: "nothing" };
  const joins = joinsOf(facts, active);
  const { failed, failedBefore, joined } = joins;
  if (failed.length + failedBefore.length === 0) return { do: "nothing" };
  const all = failed.length + joined.length;
  const isVerdict = failed.length >= LEAST_FAILED && all >= LEAST_MACHINES && failedBefore.length === 0;
  const why = `${failed.length} of ${all} nodes from version ${active.version} did not join (${named(failed)}), and ${beforeText(failedBefore)}`;
  return { do: isVerdict && !isPinned ? "rollBack" : "record", joins, why };
}

function beforeText(failedBefore: readonly string[]): string {
  return failedBefore.length === 0
    ? "none from an image before"
    : `${failedBefore.length} from an image before (${named(failedBefore)})`;
}

function named(machines: readonly string[]): string {
  const shown = machines.slice(0, 3).join(", ");
  return machines.length > 3 ? `${shown} and ${machines.length - 3} more` : shown;
}

function joinsOf(
  { machines, recorded, windowMs }: RollbackFacts,
  { version, promotedMs }: NonNullable<RollbackFacts["active"]>,
): JoinRecord {
  const earlier = recorded?.version === version ? recorded : { joined: [], failed: [], failedBefore: [] };
  const around = machines.filter(({ createdMs }) => createdMs >= promotedMs - windowMs);
  const names = (image: NewMachine["image"], join: NewMachine["join"]): readonly string[] =>
    around.filter((one) => one.image === image && one.join === join).map(({ machine }) => machine);
  const joined = new Set([...names("new", "joined"), ...names("before", "joined")]);
  // A machine that joined late has joined: how long that took is shown, and not judged.
  const failedIn = (before: readonly string[], now: readonly string[]): readonly string[] =>
    sorted([...before, ...now].filter((one) => !joined.has(one)));
  const failed = failedIn(earlier.failed, names("new", "failed"));
  return {
    version,
    joined: sorted([...earlier.joined, ...names("new", "joined")].filter((one) => !failed.includes(one))),
    failed,
    failedBefore: failedIn(earlier.failedBefore, names("before", "failed")),
  };
}

function sorted(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort().slice(0, MOST_NAMES);
}
