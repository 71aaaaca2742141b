import { type Frozen, Lease } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client } from "../client/client.ts";
import { isAlreadyExists, isConflict, transient } from "../failure.ts";
import type { Logger } from "../log/logger.ts";

/** The Lease and the identity of this process. */
export interface LeaderOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  readonly name: string;
  readonly namespace: string;
  /** Unique for every process, also after a restart. */
  readonly identity: string;
  readonly onChange?: (isLeader: boolean) => void;
}

// Cluster API's figures: other candidates wait 15 s before they take over; the holder stops writing after 10 s.
const LEASE_SECONDS = 15;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2_000;

/**
 * Holds a Lease so that only one process writes. Leadership is judged by the own monotonic clock from the time when a
 * renewal was *sent*: a slow answer, a paused process or a jump of the wall clock can only end it too early, never too
 * late.
 */
export class Leader {
  readonly #options: LeaderOptions;
  #validUntilMs = -Infinity;
  /** The newest observed state of another holder's Lease, and when it will have been unchanged for its duration. */
  #observed: { readonly version: string; readonly freeAtMs: number } | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  /** Whether this process may write now. */
  get isLeader(): boolean {
    return this.#options.env.clock.monotonic() < this.#validUntilMs;
  }

  /** Throws unless this process may write now; called before each write. */
  assertValid(): void {
    if (!this.isLeader) {
      throw transient(
        "LeaseLost",
        `the Lease ${this.#options.namespace}/${this.#options.name} is no longer held by this process, so it must not write`,
      );
    }
  }

  /** Waits until this process holds the Lease, or the signal is aborted. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { env, log, identity, name: lease } = this.#options;
    log.info("Waiting for the Lease", { lease });
    while (!(await this.#attempt())) {
      if (!(await this.#pause(RETRY_MS * (1 + env.rng("leader").next() * 0.2), signal))) return;
    }
    this.#options.onChange?.(true);
    log.info("Holding the Lease", { lease, identity });
  }

  /** Renews until the signal is aborted (resolves) or the Lease is lost (rejects). */
  async hold(signal: AbortSignal): Promise<void> {
    while (await this.#pause(RETRY_MS, signal)) {
      if ((await this.#attempt()) || this.isLeader || signal.aborted) continue;
      this.#options.onChange?.(false);
      this.assertValid();
    }
  }

  /** Releases the Lease, so that the next process need not wait; the last write of a process. */
  async release(): Promise<void> {
    if (!this.isLeader) return;
    const { client, log } = this.#options;
    this.#validUntilMs = -Infinity;
    try {
      const lease = await client.find(Lease, this.#options);
      if (lease?.spec?.holderIdentity !== this.#options.identity) return;
      await client.update(Lease, {
        ...lease,
        spec: { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1 },
      });
    } catch (error) {
      log.warn("The Lease could not be released; others wait until it expires", { error });
    }
    this.#options.onChange?.(false);
  }

  /** One attempt to acquire or renew the Lease. */
  async #attempt(): Promise<boolean> {
    const { client, env, log } = this.#options;
    const sentMs = env.clock.monotonic();
    try {
      const lease = await client.find(Lease, this.#options);
      if (!this.#mayTake(lease)) {
        this.#validUntilMs = -Infinity;
        return false;
      }
      if (lease) await client.update(Lease, { ...lease, spec: this.#spec(lease) });
      else await client.create(Lease, { metadata: this.#metadata(), spec: this.#spec(undefined) });
    } catch (error) {
      if (!isConflict(error) && !isAlreadyExists(error))
        log.warn("The Lease could not be renewed, retrying", { error });
      return false;
    }
    this.#validUntilMs = sentMs + RENEW_DEADLINE_MS;
    this.#observed = undefined;
    return true;
  }

  /**
   * A Lease is free when it has no holder, when this process holds it, or when it was unchanged for its whole duration. A
   * deleted Lease does not notify its holder, which continues to write, so it is also free only after that time.
   */
  #mayTake(lease: Frozen<Lease> | undefined): boolean {
    const nowMs = this.#options.env.clock.monotonic();
    if (lease) {
      const holder = lease.spec?.holderIdentity ?? "";
      if (holder === "" || holder === this.#options.identity) return true;
      this.#observe(lease, nowMs);
    }
    return nowMs > (this.#observed?.freeAtMs ?? -Infinity);
  }

  #observe({ metadata, spec }: Frozen<Lease>, nowMs: number): void {
    const version = metadata.resourceVersion ?? "";
    if (this.#observed?.version === version) return;
    const durationMs = (spec?.leaseDurationSeconds ?? LEASE_SECONDS) * 1000;
    this.#observed = { version, freeAtMs: nowMs + durationMs };
  }

  /** Waits; false when the signal was aborted first. */
  async #pause(delayMs: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.env.clock.sleep(delayMs, signal);
      return true;
    } catch {
      return false;
    }
  }

  #metadata(): { name: string; namespace: string } {
    return { name: this.#options.name, namespace: this.#options.namespace };
  }

  #spec(previous: Frozen<Lease> | undefined): NonNullable<Lease["spec"]> {
    const now = new Date(this.#options.env.clock.now()).toISOString().replace(/(\.\d{3})Z$/, "$1000Z");
    const before = previous?.spec;
    const isRenewal = before?.holderIdentity === this.#options.identity;
    return {
      holderIdentity: this.#options.identity,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: isRenewal ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (previous && !isRenewal ? 1 : 0),
    };
  }
}
