import type { Blocked, BlockedReason } from "./action.ts";
import type { PoolPlan } from "./plan.ts";

/** Reasons that resolve themselves while an action runs, so that no user has to act. */
const PASSING: ReadonlySet<BlockedReason> = new Set(["BudgetUsedUp", "ScaleDownUnderWay", "UserDeletion"]);

/** The blocks that do not resolve themselves. */
export function needsAttention({
  actions,
  blocked,
}: Pick<PoolPlan, "actions" | "blocked">): readonly Blocked[] {
  return blocked.filter(({ reason }) => actions.length === 0 || !PASSING.has(reason));
}
