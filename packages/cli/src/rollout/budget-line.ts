import type { Budget } from "@capstan/plan";

/** The numbers that decide how a rollout continues, in one line. */
export function budgetLine(budget: Budget): string {
  const { desired, upToDate, available, floor, live, maxSurge, leaving, updating } = budget;
  const extra = Math.max(0, live - desired);
  const parts = [
    `desired ${desired}`,
    `up to date ${upToDate}`,
    `available ${available} (at least ${floor})`,
    `surge ${Math.min(extra, maxSurge)}/${maxSurge}`,
    // Scaling down leaves more machines than a rollout may add.
    ...(extra > maxSurge ? [`to remove ${extra - maxSurge}`] : []),
    `leaving ${leaving}`,
    ...(updating > 0 ? [`updating ${updating}`] : []),
  ];
  return parts.join(" · ");
}
