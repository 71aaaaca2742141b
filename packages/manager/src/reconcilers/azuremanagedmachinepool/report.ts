import { isTrue } from "@capstan/api";
import type { PassSummary } from "@capstan/runtime";
import { readinessFields } from "../../contract/provisioned.ts";
import { summarize } from "../../contract/ready.ts";
import { POOL_READY } from "./reconcile.ts";
import type { Scope } from "./scope.ts";

/** Reports what AKS says about the pool. */
export function report({ pool, agentPool, context }: Scope, { claimReady }: PassSummary): void {
  if (pool.metadata.deletionTimestamp !== undefined) return;
  const { status = {} } = pool;
  const count = agentPool?.status?.["count"];
  pool.status = {
    ...status,
    // A pool that was ready stays ready while AKS changes it: its nodes go on working.
    ...readinessFields(status, isTrue(status.conditions, POOL_READY) || (status.ready ?? false)),
    ...(typeof count === "number" && { replicas: count }),
  };
  summarize(pool, [POOL_READY], context.env.clock.now());
  claimReady();
}
