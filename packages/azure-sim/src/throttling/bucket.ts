/** A token bucket that fills up as time passes. */
export interface Bucket {
  tokens: number;
  filledMs: number;
}

/** How much a bucket holds, and how fast it fills. */
export interface BucketSize {
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** Fills a bucket with what has come in since the last time. */
export function fill(bucket: Bucket, { capacity, refillPerSecond }: BucketSize, nowMs: number): void {
  const elapsedSeconds = Math.max(0, nowMs - bucket.filledMs) / 1000;
  bucket.tokens = Math.min(capacity, bucket.tokens + elapsedSeconds * refillPerSecond);
  bucket.filledMs = Math.max(bucket.filledMs, nowMs);
}

/** After how many whole seconds a bucket will hold so many tokens. A charge beyond its capacity waits for a full one. */
export function secondsUntil(bucket: Bucket, size: BucketSize, tokens: number): number {
  const missing = Math.min(tokens, size.capacity) - bucket.tokens;
  return Math.max(1, Math.ceil(missing / size.refillPerSecond));
}
