import { type Frozen, Lease } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client } from "../client/client.ts";
import { isAlreadyExists, isConflict, transient } from "../failure.ts";
import type { Logger } from "../log/logger.ts";

/** Which Lease, and who we are. */
export interface LeaderOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  readonly name: string;
  readonly namespace: string;
  /** Tells this process from every other one, also from its own former life. */
  readonly identity: string;
  readonly onChange?: (isLeader: boolean) => void;
}

// Cluster API's figures: others wait 15 s before they take over, we stop writing after 10 s without a renewal.
const LEASE_SECONDS = 15;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_MS = 2_000;

/**
 * Holds a Lease so that only one process writes. Judged by our own monotonic clock from the moment a
 * renewal was *sent*: an answer that took long, a paused process or a jump of the wall clock can only
 * make us stop too early, never too late.
 */
export class Leader {
  readonly #options: LeaderOptions;
  #validUntilMs = -Infinity;
  /** The newest state of a Lease that others held, and when it will have been unchanged for its duration. */
  #observed: { readonly version: string; readonly freeAtMs: number } | undefined;

  constructor(options: LeaderOptions) {
    this.#options = options;
  }

  /** Whether we may write at this very moment. */
  get isLeader(): boolean {
    return this.#options.env.clock.monotonic() < this.#validUntilMs;
  }

  /** Throws unless we may write at this very moment; called right before each write. */
  assertValid(): void {
    if (!this.isLeader) {
      throw transient(
        "LeaseLost",
        `the Lease ${this.#options.namespace}/${this.#options.name} is not ours any more, so nothing is written`,
      );
    }
  }

  /** Waits until the Lease is ours, or the signal is aborted. */
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

  /** Gives the Lease back, so that the next process need not wait; the last thing a process does. */
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

  /** One try to take or renew the Lease. */
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
        log.warn("The Lease could not be renewed, trying again", { error });
      return false;
    }
    this.#validUntilMs = sentMs + RENEW_DEADLINE_MS;
    this.#observed = undefined;
    return true;
  }

  /**
   * A Lease is free when nobody holds it, when it is ours, or when we have seen it unchanged for its whole
   * duration. One that was deleted tells nothing to its holder, who writes on: it is free only after that time, too.
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
