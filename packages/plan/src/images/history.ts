import type { HistoryEntry } from "./record.ts";

/** How many versions are kept: the active one, the previous one, and one more. */
const KEPT_VERSIONS = 3;

/** The history after a version was promoted: it is the active one, and the one before is kept for a rollback. */
export function promoted(history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const others = history
    .filter(({ id }) => id !== entry.id)
    .map((one): HistoryEntry => (one.state === "Active" ? { ...one, state: "Previous" } : one));
  return [{ ...entry, state: "Active" }, ...others];
}

/**
 * The version that machines boot from when the active one is left out: the newest previous one of the same definition. Versions of
 * an earlier base image are in another definition, which the scale set does not name.
 */
export function returnTargetOf(history: readonly HistoryEntry[]): HistoryEntry | undefined {
  const active = history.find(({ state }) => state === "Active");
  return history.find(
    (one) => one.state === "Previous" && active !== undefined && definitionIn(one) === definitionIn(active),
  );
}

/** The definition of a version, in small letters, as Azure compares ids. */
export function definitionIn({ id }: Pick<HistoryEntry, "id">): string {
  return id.slice(0, id.lastIndexOf("/")).toLowerCase();
}

/** The history after a rollback: the active version is bad, and the newest previous one is active again. */
export function rolledBack(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const next = returnTargetOf(history);
  return history.map((one): HistoryEntry => {
    if (one.state === "Active") return { ...one, state: "Bad" };
    return one === next ? { ...one, state: "Active" } : one;
  });
}

/** The history after another client has deleted the active version: Azure takes the newest one of the rest for the latest. */
export function withoutActive(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const next = returnTargetOf(history);
  return history
    .filter(({ state }) => state !== "Active")
    .map((one): HistoryEntry => (one === next ? { ...one, state: "Active" } : one));
}

/** The versions that may be deleted: those beyond the kept ones; never the active one or the one to roll back to. */
export function surplusOf(history: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const rollback = history.find(({ state }) => state === "Previous");
  const isNeeded = (one: HistoryEntry): boolean => one.state === "Active" || one === rollback;
  const spare = history.filter((one) => !isNeeded(one));
  return spare.slice(Math.max(0, KEPT_VERSIONS - (history.length - spare.length)));
}
