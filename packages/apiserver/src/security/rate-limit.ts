import type { Clock } from "@capstan/env";
import { ApiError } from "../http/status.ts";

/** The rate limit of one client. */
export interface RateLimit {
  readonly perSecond: number;
  /** How many requests may arrive at once after a pause. */
  readonly burst: number;
}

/** About as much as one core answers: a client in a request loop cannot take more than that from others. */
export const DEFAULT_RATE: RateLimit = { perSecond: 5000, burst: 10_000 };

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Counts requests by user; returns the refusal when one exceeds the limit. */
export function createRateLimiter(
  clock: Clock,
  { perSecond, burst }: RateLimit,
): (user: string) => ApiError | undefined {
  const buckets = new Map<string, Bucket>();
  return (user) => {
    const nowMs = clock.monotonic();
    const bucket = buckets.get(user) ?? { tokens: burst, atMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    buckets.set(user, bucket);
    if (bucket.tokens < 1) return tooManyRequests(Math.ceil((1 - bucket.tokens) / perSecond));
    bucket.tokens -= 1;
    return undefined;
  };
}

function tooManyRequests(retryAfterSeconds: number): ApiError {
  return new ApiError({
    code: 429,
    reason: "TooManyRequests",
    message: "the server has received too many requests and has asked us to try again later",
    details: { retryAfterSeconds },
  });
}
