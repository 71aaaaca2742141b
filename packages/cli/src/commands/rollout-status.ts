import { type UserAccess, withUserClient } from "../cluster/user-access.ts";
import type { Client } from "@capstan/runtime";
import { newestTimeIn } from "../plan/newest-time.ts";
import { awaitRollout, type Look, type Patience, showRollout } from "../rollout/follow-rollout.ts";
import { findPool, readPool } from "../rollout/live-pool.ts";
import type { PoolName } from "../rollout/pool-name.ts";
import { rolloutState } from "../rollout/rollout-state.ts";
import type { Shell } from "../shell.ts";

/** Which pool, and in which cluster. */
export interface RolloutOptions extends PoolName {
  readonly access: UserAccess;
}

/** `capstan rollout status`: waits until a pool is rolled out. */
export function rolloutStatus(shell: Shell, options: RolloutOptions & Patience): Promise<number> {
  return withUserClient(shell, options.access, (client, nowMs) =>
    awaitRollout(shell, looking(shell, { client, nowMs, pool: options }), options),
  );
}

/** `capstan rollout watch`: shows a pool until Ctrl-C. */
export function rolloutWatch(shell: Shell, options: RolloutOptions): Promise<number> {
  return withUserClient(shell, options.access, (client, nowMs) =>
    showRollout(shell, looking(shell, { client, nowMs, pool: options })),
  );
}

/**
 * Looks at a pool again and again. The time of its cluster goes on from what it was at first; where it runs faster than
 * ours, what was written last shows it.
 */
function looking(
  { env }: Shell,
  { client, nowMs, pool }: { readonly client: Client; readonly nowMs: number; readonly pool: PoolName },
): Look {
  const beganMs = env.clock.monotonic();
  return async () => {
    const parts = await readPool(client, await findPool(client, pool));
    const elapsedMs = nowMs + env.clock.monotonic() - beganMs;
    const newestMs = newestTimeIn([parts.pool, parts.machinePool, ...parts.machines]);
    return rolloutState(parts, Math.max(elapsedMs, newestMs ?? 0));
  };
}
