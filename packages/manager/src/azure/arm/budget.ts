import type { CallPriority } from "../port.ts";
import { type BucketSize, type Charge, chargesOf, type Cost, isFrontDoor } from "./policies.ts";

/** What is left in a bucket, as far as we know. */
export interface Bucket {
  readonly tokens: number;
  /** When `tokens` was true. */
  readonly atMs: number;
  /** Azure told us to stay away until then. */
  readonly blockedUntilMs: number;
}

/**
 * How much of each bucket a call leaves to more urgent ones. Without this a sweep of a fleet would use up what
 * the polls of a rollout need; with 20 % and more left, a restart can read everything once.
 */
const RESERVED: Readonly<Record<CallPriority, number>> = { urgent: 0, normal: 0.1, sweep: 0.25 };

/** How long to wait until a bucket affords so many tokens; 0 when it does now. Pure. */
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
  // A call that costs more than there can ever be goes when the bucket is full.
  const needed = Math.min(tokens + reserved, size.capacity);
  const missing = needed - filled(bucket, size, nowMs);
  const refillMs = missing <= 0 ? 0 : Math.ceil((missing / size.perSecond) * 1000);
  return Math.max(refillMs, bucket.blockedUntilMs - nowMs, 0);
}

/** What a bucket holds at a time. */
function filled(bucket: Bucket, { capacity, perSecond }: BucketSize, nowMs: number): number {
  const elapsedSeconds = Math.max(0, nowMs - bucket.atMs) / 1000;
  return Math.min(capacity, bucket.tokens + elapsedSeconds * perSecond);
}

/** A call that may be sent; its tokens are taken. */
export interface Ticket {
  readonly charges: readonly Charge[];
  readonly takenAtMs: number;
}

/** Splits what was paid for a list into a ticket for each of its pages. */
export function partsOf({ charges, takenAtMs }: Ticket, count: number): Ticket[] {
  const part = {
    charges: charges.map((charge) => ({ ...charge, tokens: charge.tokens / count })),
    takenAtMs,
  };
  return Array.from({ length: count }, () => part);
}

/** A call that must wait, and which policy is used up. */
export interface Held {
  readonly policy: string;
  readonly retryAfterMs: number;
}

/** What Azure answered, as far as the budget cares. */
export interface BudgetAnswer {
  readonly status: number;
  /** Header names are lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
}

// Buckets of single resources and operations add up; beyond this many, the full ones are forgotten.
const MOST_BUCKETS = 20_000;
// What CAPZ waits when a 429 does not say how long.
const UNTOLD_WAIT_MS = 60_000;

interface Entry {
  bucket: Bucket;
  readonly size: BucketSize;
  /** Tokens of calls under way: an answer to an older call does not know of them. */
  underWay: number;
  /** When the last of those who were told to come back will do so, by how urgent they are. */
  readonly lineEndsMs: Record<CallPriority, number>;
}

/**
 * The requests that we may still send, counted as Azure counts them and corrected by what its answers say. A
 * call that would be refused is not sent: it would cost the budget and gain nothing.
 */
export class Budget {
  readonly #entries = new Map<string, Entry>();

  /** Takes the tokens of a call, or says when to come back. All of its buckets must afford it, or none is touched. */
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

  /** Those who have to wait come back one after the other, or all of them would be sent away again but one. */
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
    // Not all of them do come back; nobody waits for longer than it takes to fill the bucket.
    const longestMs = Math.max(waitMs, (size.capacity / size.perSecond) * 1000);
    const retryAfterMs = Math.ceil(Math.min(Math.max(waitMs, behindMs - nowMs), longestMs));
    lineEndsMs[priority] = nowMs + retryAfterMs;
    return retryAfterMs;
  }

  /** Learns from the answer to a call; without one its tokens count as spent. */
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

  /** How many buckets are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Others may use the same budget, so that less can be left than we think. More is never believed: answers come
   * out of order, and time fills the bucket anyway. What was left when Azure answered may have come in since, and calls
   * under way may be counted in it or not: only what neither explains is the work of others.
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

  /** Stays away from the buckets that a refusal was about. */
  #block(
    charges: readonly Charge[],
    { answer, remaining }: { readonly answer: BudgetAnswer; readonly remaining: ReadonlyMap<string, number> },
    nowMs: number,
  ): void {
    const empty = charges.filter(({ policy }) => remaining.get(policy) === 0);
    const compute = charges.filter((charge) => !isFrontDoor(charge));
    const blamed = empty.length > 0 ? empty : compute.length > 0 ? compute : charges;
    const untilMs = nowMs + (answer.retryAfterMs ?? UNTOLD_WAIT_MS);
    for (const charge of blamed) {
      const entry = this.#entry(charge, nowMs);
      // Answers come out of order: an earlier one may have named the later moment.
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

/** What the headers of an answer say is left, by policy. */
export function remainingOf(headers: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  const remaining = new Map<string, number>();
  const note = (policy: string, text: string): void => {
    const tokens = Number(text);
    if (text.trim() === "" || !Number.isFinite(tokens) || tokens < 0) return;
    // The budget of all principals together holds for each of them too.
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
