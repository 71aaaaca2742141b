import { AzureMachinePool, type Frozen, type Machine, type MachinePool } from "@capstan/api";
import type { JoinToken } from "../../bootstrap/join-token.ts";
import { isExternallyScaled } from "../../contract/pool-spec.ts";
import { refersTo } from "../../contract/reference.ts";

/** The lifetime of tokens, and when they are renewed. */
export interface TokenPolicy {
  readonly ttlMs: number;
  /** Data is fresh when its token is valid for at least this long. */
  readonly enoughMs: number;
  /** Whether a token is renewed without a request. */
  readonly renews: boolean;
}

/** When a token expires that is created or extended now, in whole seconds as in its Secret. */
export function endOf({ ttlMs }: TokenPolicy, nowMs: number): number {
  return Math.floor((nowMs + ttlMs) / 1000) * 1000;
}

/** Whether a token is valid for long enough. */
export function isGood({ expiresMs }: JoinToken, { enoughMs }: TokenPolicy, nowMs: number): boolean {
  return expiresMs - nowMs >= enoughMs;
}

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;

// Azure may take most of an hour for a thousand machines; a leaked token expires soon after.
const ON_DEMAND: TokenPolicy = { ttlMs: 2 * HOUR_MS, enoughMs: HOUR_MS, renews: false };
const ALWAYS_GOOD: TokenPolicy = { ttlMs: WEEK_MS, enoughMs: WEEK_MS / 2, renews: true };

/**
 * The policy for a pool. Some pools get machines without a request for fresh data, so their data must always be valid:
 * pools that an autoscaler resizes, spot pools that Azure refills, and infrastructure of other providers.
 */
export function poolPolicy(
  pool: Frozen<MachinePool>,
  infrastructure: Frozen<AzureMachinePool> | undefined,
): TokenPolicy {
  const isSpot = infrastructure?.spec.template.spotVMOptions !== undefined;
  return isExternallyScaled(pool) || isSpot || !isOurs(pool) ? ALWAYS_GOOD : ON_DEMAND;
}

/** The policy for a machine: its token is kept valid until the machine no longer needs it. */
export function machinePolicy({ status }: Frozen<Machine>): TokenPolicy {
  const isThere = status?.initialization?.infrastructureProvisioned === true || status?.nodeRef !== undefined;
  return { ...ON_DEMAND, renews: !isThere };
}

function isOurs({ spec }: Frozen<MachinePool>): boolean {
  return refersTo(spec.template.spec.infrastructureRef, AzureMachinePool);
}
