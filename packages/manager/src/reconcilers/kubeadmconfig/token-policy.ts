import { AzureMachinePool, type Frozen, groupOf, type Machine, type MachinePool } from "@capstan/api";
import type { JoinToken } from "../../bootstrap/join-token.ts";
import { isExternallyScaled } from "../../contract/pool-spec.ts";

/** How long tokens live, and when another one is made. */
export interface TokenPolicy {
  readonly ttlMs: number;
  /** Data is fresh when its token is good for at least so long. */
  readonly enoughMs: number;
  /** Whether a token is renewed without anybody asking. */
  readonly renews: boolean;
}

/** When a token ends that is made or prolonged now. Whole seconds, as it is written down. */
export function endOf({ ttlMs }: TokenPolicy, nowMs: number): number {
  return Math.floor((nowMs + ttlMs) / 1000) * 1000;
}

/** Whether a token is good for long enough. */
export function isGood({ expiresMs }: JoinToken, { enoughMs }: TokenPolicy, nowMs: number): boolean {
  return expiresMs - nowMs >= enoughMs;
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

// Azure may take most of an hour for a thousand machines; a token that leaks is worth nothing soon after.
const ON_DEMAND: TokenPolicy = { ttlMs: 2 * HOUR_MS, enoughMs: HOUR_MS, renews: false };
const ALWAYS_GOOD: TokenPolicy = { ttlMs: WEEK_MS, enoughMs: WEEK_MS / 2, renews: true };

/**
 * The policy for a pool. Those whose machines come and go without us asking for fresh data must have good data at any
 * time: pools that an autoscaler resizes, spot pools that Azure refills, and infrastructure that is not ours.
 */
export function poolPolicy(
  pool: Frozen<MachinePool>,
  infrastructure: Frozen<AzureMachinePool> | undefined,
): TokenPolicy {
  const isSpot = infrastructure?.spec.template.spotVMOptions !== undefined;
  return isExternallyScaled(pool) || isSpot || !isOurs(pool) ? ALWAYS_GOOD : ON_DEMAND;
}

/** The policy for a machine: its token is kept good until it needs none any more. */
export function machinePolicy({ status }: Frozen<Machine>): TokenPolicy {
  const isThere = status?.infrastructureReady === true || status?.nodeRef !== undefined;
  return { ...ON_DEMAND, renews: !isThere };
}

function isOurs({ spec }: Frozen<MachinePool>): boolean {
  const { apiVersion = "", kind } = spec.template.spec.infrastructureRef;
  return kind === AzureMachinePool.kind && groupOf(apiVersion) === AzureMachinePool.group;
}
