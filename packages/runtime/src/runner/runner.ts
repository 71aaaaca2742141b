import { Cluster, type Kind } from "@capstan/api";
import type { Env, Transport } from "@capstan/env";
import { Cache } from "../cache/cache.ts";
import { kindId } from "../cache/kind-id.ts";
import { type Client, createClient } from "../client/client.ts";
import { createEventRecorder, type EventRecorder } from "../events/recorder.ts";
import { guardWrites } from "../leader/guarded-client.ts";
import { Leader } from "../leader/leader.ts";
import type { Logger } from "../log/logger.ts";
import { type ControllerMetrics, createControllerMetrics } from "../metrics/controller-metrics.ts";
import { MetricRegistry } from "../metrics/registry.ts";
import type { Reconciler } from "../reconciler/reconciler.ts";
import { watchClock } from "./clock-watch.ts";
import { Controller } from "./controller.ts";

export interface RunnerOptions {
  readonly env: Env;
  readonly transport: Transport;
  readonly log: Logger;
  /** The field manager and source of events, and with the controller's name the user agent. */
  readonly name: string;
  readonly reconcilers: readonly Reconciler[];
  /** A shared registry; by default a new one. */
  readonly metrics?: MetricRegistry;
  /** The Lease to hold while writing; without it this process must be the only one. */
  readonly lease?: { readonly name: string; readonly namespace: string };
  /** Watch one namespace instead of all. */
  readonly namespace?: string;
  /** Reconcile only objects whose label cluster.x-k8s.io/watch-filter has this value. */
  readonly watchFilter?: string;
}

// Kubernetes sends SIGKILL 30 s after SIGTERM. A pass that has not ended after 10 s is cut off as by a crash; releasing
// the Lease and closing connections get another 10 s, in case the server does not answer.
const STOP_LIMIT_MS = 10_000;
const CATCH_UP_PAUSE_MS = 1_000;

/** Runs controllers together on one cache, one Lease and one set of metrics. */
export class Runner {
  readonly metrics: MetricRegistry;
  readonly cache: Cache;
  readonly controllers: readonly Controller[];
  readonly #options: RunnerOptions;
  readonly #metrics: ControllerMetrics;
  readonly #events: EventRecorder;
  readonly #leader: Leader | undefined;
  readonly #stopping = new AbortController();
  #started = false;
  #starting: Promise<void> = Promise.resolve();
  #holding: Promise<void>;

  constructor(options: RunnerOptions) {
    const { env, transport, log, name, lease, namespace } = options;
    this.#options = options;
    const { signal } = this.#stopping;
    this.#holding = new Promise((resolve) =>
      signal.addEventListener("abort", () => resolve(), { once: true }),
    );
    this.metrics = options.metrics ?? new MetricRegistry();
    this.#metrics = createControllerMetrics(this.metrics);
    const onAnswer = (method: string, status: number): void => this.#metrics.request(method, status);
    const clientOf = (userAgent: string): Client =>
      createClient({ transport, env, fieldManager: name, userAgent, onAnswer });
    const client = clientOf(name);
    this.#leader = lease && this.#createLeader(client, lease);
    const assertMayWrite = (): void => this.assertMayWrite();
    const guarded = (raw: Client): Client => (lease ? guardWrites(raw, assertMayWrite) : raw);
    const onBug = (error: unknown): void => log.error("Bug in a handler", { error });
    this.cache = new Cache({
      client,
      env,
      log,
      onBug,
      mayBeAbsent: isOfOthers(options.reconcilers),
      ...(namespace !== undefined && { namespace }),
    });
    this.#events = createEventRecorder({ client: guarded(client), env, log, component: name });
    const shared = {
      cache: this.cache,
      env,
      log,
      metrics: this.#metrics,
      events: this.#events,
      assertMayWrite,
      ...(options.watchFilter !== undefined && { watchFilter: options.watchFilter }),
    };
    // Each controller has its own user agent: audit logs, flow control and the flight simulator distinguish them by it.
    this.controllers = options.reconcilers.map(
      (reconciler) =>
        new Controller(reconciler, { ...shared, client: guarded(clientOf(`${name}/${reconciler.name}`)) }),
    );
  }

  /**
   * Fills the cache, waits for the Lease and starts the controllers; resolves when they run. A standby keeps its cache warm,
   * and reads everything again when it takes over.
   */
  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  /** To be called after the start: resolves after `stop`; rejects when the Lease was lost, after which the process must end: crash-only. */
  held(): Promise<void> {
    return this.#holding;
  }

  /** Ends passes in order, within 10 s, then everything else; the release of the Lease is the last write. */
  async stop(): Promise<void> {
    const passes = Promise.all(this.controllers.map((controller) => controller.stop()));
    await this.#within(
      passes.then(() => this.#events.flush()),
      "Stopping although passes are running",
    );
    this.#stopping.abort(new Error("stopping"));
    await this.#within(this.#letGo(), "Stopping although the server does not answer");
  }

  /** Throws a Failure when this process no longer leads; called before each write to any server. */
  assertMayWrite(): void {
    this.#leader?.assertValid();
  }

  /** Why the process is not ready; empty when it is. A standby with a warm cache is ready. */
  unready(): string[] {
    const pending = this.cache.pending();
    if (pending.length > 0)
      return [`waiting for the first list of ${pending.join(", ")}`, ...this.cache.problems()];
    return this.#started || this.#leader ? [] : ["the controllers have not been started"];
  }

  async #start(): Promise<void> {
    const { signal } = this.#stopping;
    await this.cache.start(signal);
    if (!signal.aborted) await this.#leader?.acquire(signal);
    if (signal.aborted) return;
    if (this.#leader) {
      this.#holding = this.#leader.hold(signal);
      await this.#catchUp(signal);
    }
    for (const controller of this.controllers) controller.start();
    const watch = watchClock(this.#options.env.clock, () => this.#clockWasSetBack());
    signal.addEventListener("abort", () => watch.stop(), { once: true });
    this.#started = true;
  }

  /** Controllers correct timestamps in the future with their next pass. */
  #clockWasSetBack(): void {
    this.#options.log.warn("The clock was set back, reconciling all objects again");
    for (const controller of this.controllers) controller.enqueueAll();
  }

  /**
   * Reads everything again. The previous leader may have written objects that the watches have not delivered yet, and a
   * controller that decides on an old state creates objects twice.
   */
  async #catchUp(signal: AbortSignal): Promise<void> {
    const { env, log } = this.#options;
    while (!signal.aborted) {
      try {
        await this.cache.refresh();
        return;
      } catch (error) {
        log.warn("The state left by the last leader could not be read, retrying", { error });
        await env.clock.sleep(CATCH_UP_PAUSE_MS, signal).catch(() => undefined);
      }
    }
  }

  async #letGo(): Promise<void> {
    // A running attempt to acquire or renew the Lease would bring it back after its release.
    await Promise.allSettled([this.#starting, this.#holding]);
    await this.#leader?.release();
    await this.cache.stopped();
    await this.#options.transport.close();
  }

  async #within(work: Promise<unknown>, warning: string): Promise<void> {
    const { env, log } = this.#options;
    const limit = new AbortController();
    const expired = env.clock.sleep(STOP_LIMIT_MS, limit.signal).then(
      () => log.warn(warning, { limitMs: STOP_LIMIT_MS }),
      () => undefined,
    );
    await Promise.race([work, expired]);
    limit.abort();
  }

  #createLeader(client: Client, lease: { readonly name: string; readonly namespace: string }): Leader {
    const { env, log, name } = this.#options;
    const identity = `${name}_${env.uuid()}`;
    const onChange = (isLeader: boolean): void => this.#metrics.leading(lease.name, isLeader);
    return new Leader({ client, env, log, ...lease, identity, onChange });
  }
}

/**
 * Kinds that no controller of this process reconciles or creates may be absent: a cluster need not have the CRDs of
 * controllers that do not run. Without Clusters it would not be known which objects are paused.
 */
function isOfOthers(reconcilers: readonly Reconciler[]): (kind: Kind) => boolean {
  const own = reconcilers.flatMap(({ for: reconciled, owns = [] }) => [reconciled, ...owns]);
  const needed = new Set([Cluster, ...own].map(kindId));
  return (kind) => !needed.has(kindId(kind));
}
