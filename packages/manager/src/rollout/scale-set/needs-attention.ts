import type { Blocked, BlockedReason } from "./action.ts";
import type { PoolPlan } from "./plan.ts";

/** What passes by itself while something is under way, and so needs nobody's attention. */
const PASSING: ReadonlySet<BlockedReason> = new Set(["BudgetUsedUp", "ScaleDownUnderWay", "UserDeletion"]);

/** What stands in the way and does not go away by itself. */
export function needsAttention({
  actions,
  blocked,
}: Pick<PoolPlan, "actions" | "blocked">): readonly Blocked[] {
  return blocked.filter(({ reason }) => actions.length === 0 || !PASSING.has(reason));
}
