/** Numbers that may be written as a percentage: `1` or `25%`. */

/** A value that is neither a whole number nor a percentage. */
export class IntOrPercentError extends Error {
  override readonly name = "IntOrPercentError";
}

// Two digits more than any sensible percentage; so the product below stays an exact integer.
const PERCENTAGE = /^([+-]?[0-9]{1,6})%$/;

/** Resolves a number or a percentage of `total`, rounding a percentage in the given direction. */
export function scaledValue(value: number | string, total: number, round: "up" | "down"): number {
  const problem = intOrPercentProblem(value);
  if (problem !== undefined) throw new IntOrPercentError(problem);
  if (typeof value === "number") return value;
  const share = (Number(value.slice(0, -1)) * total) / 100;
  // Adding 0 turns the -0 that rounding a small negative percentage gives into a plain 0.
  return (round === "up" ? Math.ceil(share) : Math.floor(share)) + 0;
}

/** The problem of a number or percentage, or undefined if it is valid. */
export function intOrPercentProblem(value: number | string): string | undefined {
  const accepted = "must be either an int or a percentage, such as 1 or 25%";
  if (typeof value === "number") return Number.isSafeInteger(value) ? undefined : accepted;
  return PERCENTAGE.test(value) ? undefined : accepted;
}

/** How far a rolling update may deviate from the desired number of replicas, in both directions. */
export interface RolloutBudget {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/**
 * Resolves both ends of a rolling update for a number of replicas.
 *
 * Surge rounds up and unavailability down, so that a percentage is on the safe side; if both are 0, the rollout
 * could not progress, so one machine may be unavailable. Never more than all replicas are unavailable.
 */
export function resolveRolloutBudget(
  limits: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string },
  replicas: number,
): RolloutBudget {
  const maxSurge = scaledValue(limits.maxSurge ?? 0, replicas, "up");
  const unavailable = scaledValue(limits.maxUnavailable ?? 0, replicas, "down");
  const maxUnavailable = maxSurge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge, maxUnavailable: Math.min(maxUnavailable, replicas) };
}
