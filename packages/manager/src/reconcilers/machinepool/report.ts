import type { Frozen, MachinePool, StandardConditionUpdate } from "@capstan/api";
import { machinePoolConditions } from "@capstan/plan";
import type { PassSummary } from "@capstan/runtime";
import { withDeprecated } from "../../contract/deprecated-status.ts";
import { missingReferences } from "../../contract/resolve.ts";
import { summarize } from "../../contract/ready.ts";
import { decideStatus } from "./decide.ts";
import { WAITING_FOR_DELETION } from "./deletion.ts";
import type { Scope } from "./scope.ts";

const SUMMED_UP = ["BootstrapReady", "InfrastructureReady", "ReplicasReady"];

/** Writes the observations of the pass to the status. After a failure there are fewer, and earlier values stay. */
export function report(scope: Scope, { claimReady }: PassSummary): void {
  const { context, pool, infrastructure } = scope;
  if (pool.metadata.deletionTimestamp !== undefined) {
    reportDeletion(scope);
    if (scope.left && scope.left.length > 0) claimReady();
    return;
  }
  if (infrastructure) {
    const { fields, deprecated, conditions } = decideStatus(pool, scope);
    const { versions: _, ...kept } = pool.status ?? {};
    pool.status = withDeprecated({ ...kept, ...fields }, deprecated);
    for (const condition of conditions) context.setCondition(condition);
  }
  const { generation } = pool.metadata;
  pool.status = {
    phase: "Pending",
    ...pool.status,
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  summarize(pool, SUMMED_UP, context.env.clock.now());
  claimReady();
}

/** The conditions of the pool in v1beta2. */
export function conditionsOf(
  pool: Frozen<MachinePool>,
  scope: Scope | undefined,
): readonly StandardConditionUpdate[] {
  const missing = missingReferences(scope, ["bootstrap", "infrastructure"]);
  return machinePoolConditions(pool, { missing, left: scope?.left ?? [] });
}

function reportDeletion({ context, pool, left = [] }: Scope): void {
  pool.status = { ...pool.status, phase: "Deleting" };
  if (left.length === 0) return;
  const message = `Waiting until ${left.join(" and ")} ${left.length === 1 ? "is" : "are"} gone`;
  context.setCondition({
    type: "Ready",
    status: "False",
    severity: "Info",
    reason: WAITING_FOR_DELETION,
    message,
  });
}
