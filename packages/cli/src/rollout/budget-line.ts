import type { Budget } from "@capstan/manager";

/** The numbers that decide how a rollout continues, in one line. */
export function budgetLine(budget: Budget): string {
  const { desired, upToDate, available, floor, live, maxSurge, leaving, updating } = budget;
  const parts = [
    `desired ${desired}`,
    `up to date ${upToDate}`,
    `available ${available} (at least ${floor})`,
    `surge ${Math.max(0, live - desired)}/${maxSurge}`,
    `leaving ${leaving}`,
    ...(updating > 0 ? [`updating ${updating}`] : []),
  ];
  return parts.join(" · ");
}
