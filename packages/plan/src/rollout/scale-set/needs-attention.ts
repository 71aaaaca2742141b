import { type Blocked, type BlockedReason, isOfRollout } from "./action.ts";
import type { PoolPlan } from "./plan.ts";

/** Reasons that resolve themselves while an action runs, so that no user has to act. */
const PASSING: ReadonlySet<BlockedReason> = new Set([
  "BudgetUsedUp",
  "ScaleDownUnderWay",
  "UserDeletion",
  "NodeNotDrained",
  "BootstrapDataExpired",
]);

/** The blocks that do not resolve themselves. */
export function needsAttention({
  actions,
  blocked,
}: Pick<PoolPlan, "actions" | "blocked">): readonly Blocked[] {
  return blocked.filter(({ reason }) => !actions.some(isOfRollout) || !PASSING.has(reason));
}
