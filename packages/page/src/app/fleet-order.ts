import type { FleetRow } from "../protocol.ts";

const collator = new Intl.Collator("en", { numeric: true });

/** Those that need a user, then those that are not as desired, then those with a rollout; each by name. */
export function sortedFleet(rows: readonly FleetRow[]): readonly FleetRow[] {
  return rows.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || collator.compare(a.name, b.name) || collator.compare(a.key, b.key),
  );
}

function rankOf({ needsUser, tone, rollouts }: FleetRow): number {
  if (needsUser) return 0;
  if (tone !== "good") return 1;
  return rollouts.length > 0 ? 2 : 3;
}

/** Whether a cluster has each word of a search: in its name, namespace, phase, versions or needs, or as a state. */
export function isShownInFleet(row: FleetRow, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const text = [row.key, row.phase, row.versions.newest, row.versions.oldest, row.needs]
    .join(" ")
    .toLowerCase();
  return words.every((word) => {
    if (word === "needs-you") return row.needsUser;
    if (word === "rolling") return row.rollouts.length > 0;
    return text.includes(word);
  });
}
