import { type CallPriority, DEFAULT_RETRY_AFTER_MS } from "../port.ts";
import { type BucketSize, type Charge, chargesOf, type Cost, isFrontDoor } from "./policies.ts";

/** The known state of a bucket. */
export interface Bucket {
  readonly tokens: number;
  /** The time of `tokens`. */
  readonly atMs: number;
  /** The end of a Retry-After. */
  readonly blockedUntilMs: number;
}

/**
 * The share of each bucket that a call leaves to more urgent ones. Without it, a sweep of a fleet would use up the budget
 * for the polls of a rollout; with at least 20 % left, a restarted manager can read everything once. Urgent calls leave a little,
 * too: ARM counts a call when it arrives, and one that arrives a few milliseconds early would find an empty bucket.
 */
const RESERVED: Readonly<Record<CallPriority, number>> = { urgent: 0.01, normal: 0.1, sweep: 0.25 };

/** How long until a bucket has this many tokens; 0 when it has them now. */
export function waitMsFor(
  bucket: Bucket,
  size: BucketSize,
  {
    tokens,
    priority,
    nowMs,
  }: { readonly tokens: number; readonly priority: CallPriority; readonly nowMs: number },
): number {
  const reserved = Math.floor(size.capacity * RESERVED[priority]);
  // A call that costs more than the capacity is sent when the bucket is full.
  const needed = Math.min(tokens + reserved, size.capacity);
  const missing = needed - filled(bucket, size, nowMs);
  const refillMs = missing <= 0 ? 0 : Math.ceil((missing / size.perSecond) * 1000);
  return Math.max(refillMs, bucket.blockedUntilMs - nowMs, 0);
}

/** The tokens of a bucket at a time. */
function filled(bucket: Bucket, { capacity, perSecond }: BucketSize, nowMs: number): number {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1000;
  return Math.min(capacity, bucket.tokens + elapsedSeconds * perSecond);
}

/** An admitted call; its tokens are taken. */
export interface Ticket {
  readonly charges: readonly Charge[];
  readonly takenAtMs: number;
}

/** Splits the charge of a list into a ticket for each of its pages. */
export function partsOf({ charges, takenAtMs }: Ticket, count: number): Ticket[] {
  const part = {
    charges: charges.map((charge) => ({ ...charge, tokens: charge.tokens / count })),
    takenAtMs,
  };
  return Array.from({ length: count }, () => part);
}

/** A call that must wait, and the exhausted policy. */
export interface Held {
  readonly policy: string;
  readonly retryAfterMs: number;
}

/** The parts of Azure's answer that matter to the budget. */
export interface BudgetAnswer {
  readonly status: number;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
}

// Buckets of single resources and operations accumulate; beyond this number, full ones are dropped.
const MOST_BUCKETS = 20_000;

interface Entry {
  bucket: Bucket;
  readonly size: BucketSize;
  /** Tokens of running calls: the answer to an older call does not include them. */
  underWay: number;
  /** When the last waiting call will retry, by priority. */
  readonly lineEndsMs: Record<CallPriority, number>;
}

/**
 * The requests that the process may still send, counted like Azure and corrected by its answers. A call that Azure would
 * refuse is not sent, because it would only use up the budget.
 */
export class Budget {
  readonly #entries = new Map<string, Entry>();

  /** Takes the tokens of a call, or returns when to retry. If one of its buckets lacks tokens, none is charged. */
  admit(cost: Cost, priority: CallPriority, nowMs: number): Ticket | Held {
    const charges = chargesOf(cost);
    let scarce: { readonly charge: Charge; readonly waitMs: number } | undefined;
    for (const charge of charges) {
      const { bucket, size } = this.#entry(charge, nowMs);
      const waitMs = waitMsFor(bucket, size, { tokens: charge.tokens, priority, nowMs });
      if (waitMs > (scarce?.waitMs ?? 0)) scarce = { charge, waitMs };
    }
    if (scarce) {
      const retryAfterMs = this.#queue(scarce.charge, { priority, waitMs: scarce.waitMs, nowMs });
      return { policy: scarce.charge.policy, retryAfterMs };
    }
    for (const charge of charges) {
      const entry = this.#entry(charge, nowMs);
      const tokens = Math.max(0, filled(entry.bucket, entry.size, nowMs) - charge.tokens);
      entry.bucket = { ...entry.bucket, tokens, atMs: nowMs };
      entry.underWay += charge.tokens;
    }
    return { charges, takenAtMs: nowMs };
  }

  /** Spreads the retries of waiting calls; otherwise all but one would be rejected again. */
  #queue(
    charge: Charge,
    {
      priority,
      waitMs,
      nowMs,
    }: { readonly priority: CallPriority; readonly waitMs: number; readonly nowMs: number },
  ): number {
    const { lineEndsMs, size } = this.#entry(charge, nowMs);
    const behindMs = lineEndsMs[priority] + (charge.tokens / size.perSecond) * 1000;
    // Not all waiting calls retry, so no wait is longer than the bucket takes to fill.
    const longestMs = Math.max(waitMs, (size.capacity / size.perSecond) * 1000);
    const retryAfterMs = Math.ceil(Math.min(Math.max(waitMs, behindMs - nowMs), longestMs));
    lineEndsMs[priority] = nowMs + retryAfterMs;
    return retryAfterMs;
  }

  /** Updates the buckets from the answer to a call; without an answer, its tokens count as spent. */
  settle({ charges, takenAtMs }: Ticket, answer: BudgetAnswer | undefined, nowMs: number): void {
    for (const charge of charges) {
      const entry = this.#entry(charge, nowMs);
      entry.underWay = Math.max(0, entry.underWay - charge.tokens);
    }
    if (!answer) return;
    const remaining = remainingOf(answer.headers);
    for (const charge of charges) {
      const left = remaining.get(charge.policy);
      if (left !== undefined) this.#correct(this.#entry(charge, nowMs), { left, sinceMs: takenAtMs }, nowMs);
    }
    if (answer.status === 429) this.#block(charges, { answer, remaining }, nowMs);
  }

  /** The number of stored buckets. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Other clients may use the same budget, so less may be left than counted. A higher count is ignored: answers arrive out
   * of order, and the bucket refills with time. Refill since the answer and running calls may explain a difference; only
   * the rest is attributed to other clients.
   */
  #correct(
    entry: Entry,
    { left, sinceMs }: { readonly left: number; readonly sinceMs: number },
    nowMs: number,
  ): void {
    const own = filled(entry.bucket, entry.size, nowMs);
    const most = left + 1 + ((nowMs - sinceMs) / 1000) * entry.size.perSecond;
    if (most >= own) return;
    entry.bucket = { ...entry.bucket, tokens: Math.max(0, left - entry.underWay), atMs: nowMs };
  }

  /** Blocks the buckets that a 429 was about. */
  #block(
    charges: readonly Charge[],
    { answer, remaining }: { readonly answer: BudgetAnswer; readonly remaining: ReadonlyMap<string, number> },
    nowMs: number,
  ): void {
    const empty = charges.filter(({ policy }) => remaining.get(policy) === 0);
    const compute = charges.filter((charge) => !isFrontDoor(charge));
    const blamed = empty.length > 0 ? empty : compute.length > 0 ? compute : charges;
    const untilMs = nowMs + (answer.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
    for (const charge of blamed) {
      const entry = this.#entry(charge, nowMs);
      // Answers arrive out of order: an earlier one may have the later end.
      entry.bucket = { ...entry.bucket, blockedUntilMs: Math.max(entry.bucket.blockedUntilMs, untilMs) };
    }
  }

  #entry({ bucket: name, size }: Charge, nowMs: number): Entry {
    const known = this.#entries.get(name);
    if (known) return known;
    if (this.#entries.size >= MOST_BUCKETS) this.#forgetFull(nowMs);
    const created: Entry = {
      bucket: { tokens: size.capacity, atMs: nowMs, blockedUntilMs: 0 },
      size,
      underWay: 0,
      lineEndsMs: { urgent: -Infinity, normal: -Infinity, sweep: -Infinity },
    };
    this.#entries.set(name, created);
    return created;
  }

  #forgetFull(nowMs: number): void {
    for (const [name, { bucket, size, underWay }] of this.#entries) {
      const isFull = filled(bucket, size, nowMs) >= size.capacity && bucket.blockedUntilMs <= nowMs;
      if (isFull && underWay === 0) this.#entries.delete(name);
    }
  }
}

const FRONT_DOOR_HEADER = /^x-ms-ratelimit-remaining-(subscription)-(global-)?(reads|writes|deletes)$/;

/** The remaining counts in the headers of an answer, by policy. */
export function remainingOf(headers: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  const remaining = new Map<string, number>();
  const note = (policy: string, text: string): void => {
    const tokens = Number(text);
    if (text.trim() === "" || !Number.isFinite(tokens) || tokens < 0) return;
    // The budget of all principals together also limits each of them.
    remaining.set(policy, Math.min(tokens, remaining.get(policy) ?? Infinity));
  };
  for (const [name, value] of Object.entries(headers)) {
    const frontDoor = FRONT_DOOR_HEADER.exec(name);
    if (frontDoor) note(`subscription-${frontDoor[3] ?? ""}`, value);
  }
  for (const item of (headers["x-ms-ratelimit-remaining-resource"] ?? "").split(",")) {
    const [policy = "", tokens = ""] = item.trim().split(";");
    note(policy.replace(/^Microsoft\.Compute\//i, ""), tokens);
  }
  return remaining;
}
