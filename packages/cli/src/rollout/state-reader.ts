import type { Client } from "@capstan/runtime";
import type { Forecaster } from "../plan/planners/pool-plan.ts";
import { newestTimeIn } from "../plan/read/newest-time.ts";
import { findPool, readPool } from "./live-pool.ts";
import type { PoolName } from "./pool-name.ts";
import { type ReadState, rolloutState } from "./rollout-state.ts";

/**
 * Reads a pool repeatedly. If the clock of its cluster is ahead of ours, the newest timestamp in the objects reveals
 * it.
 */
export function stateReader(
  client: Client,
  pool: PoolName,
  { now, forecaster }: { readonly now: () => number; readonly forecaster?: Forecaster },
): ReadState {
  return async () => {
    const parts = await readPool(client, await findPool(client, pool));
    const newestMs = newestTimeIn([parts.pool, parts.machinePool, ...parts.machines]) ?? 0;
    return rolloutState(parts, Math.max(now(), newestMs), forecaster);
  };
}
