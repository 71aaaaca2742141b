/** A token bucket that refills over time. */
export interface Bucket {
  tokens: number;
  filledMs: number;
}

/** The capacity and the refill rate of a bucket. */
export interface BucketSize {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** Refills a bucket for the time since the last refill. */
export function fill(bucket: Bucket, { capacity, refillPerSecond }: BucketSize, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.filledMs) / 1000;
  bucket.tokens = Math.min(capacity, bucket.tokens + elapsedSeconds * refillPerSecond);
  bucket.filledMs = Math.max(bucket.filledMs, nowMs);
}

/** After how many whole seconds a bucket has so many tokens. A charge above the capacity waits for a full bucket. */
export function secondsUntil(bucket: Bucket, size: BucketSize, tokens: number): number {
  const missing = Math.min(tokens, size.capacity) - bucket.tokens;
  return Math.max(1, Math.ceil(missing / size.refillPerSecond));
}
