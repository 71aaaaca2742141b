import { CustomResourceDefinition, type Frozen } from "@capstan/api";
import type { Env } from "@capstan/env";
import {
  backoffMs,
  type Client,
  guardWrites,
  Informer,
  type Logger,
  type MetricRegistry,
} from "@capstan/runtime";
import { migrateDefinition, type MigrationPorts, OUR_DEFINITIONS } from "./migrate.ts";
import { type ConversionService, type Definition, planMigration, trustPatch } from "./plan.ts";

/** What a keeper of CRDs works with. */
export interface DefinitionKeeperOptions {
  readonly env: Env;
  readonly log: Logger;
  readonly client: Client;
  /** Throws unless this process leads: only the leader migrates. */
  readonly assertMayWrite: () => void;
  /** The certificate authorities of our webhooks, as PEM; undefined until there are some, or if there are no webhooks. */
  readonly bundle: () => string | undefined;
  readonly service: ConversionService;
  readonly metrics?: MetricRegistry;
  /** How long a new definition is left alone; five seconds unless given. */
  readonly settleMs?: number;
}

// Leadership and new certificates are not events of CRDs; a check of the cached CRDs sends no request.
const TICK_MS = 5_000;
// Other API servers of the cluster learn of a new storage version by a watch, and write the old one until then.
const SETTLE_MS = 5_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };

/** What a keeper remembers of a CRD. */
interface Progress {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  notBeforeMs: number;
  /** Failures in a row. */
  failures: number;
  isChecked: boolean;
}

/**
 * Keeps our CRDs convertible: each trusts the certificates of our webhooks, and its objects are stored in its storage version.
 *
 * Every replica writes the trust, not only the leader: without it the server cannot read objects of other versions, so no
 * replica could fill its cache and become the leader. They all write the same text, that of the Secret they share.
 */
export class DefinitionKeeper {
  readonly #options: DefinitionKeeperOptions;
  readonly #ports: MigrationPorts;
  readonly #informer: Informer<CustomResourceDefinition>;
  readonly #progress = new Map<string, Progress>();
  #wake: () => void = () => undefined;

  constructor(options: DefinitionKeeperOptions) {
    const { env, log, client, assertMayWrite, metrics } = options;
    this.#options = options;
    const rewrites = metrics?.counter({
      name: "capstan_stored_objects_rewritten_total",
      help: "Objects written again in the storage version of their CRD, by CRD and result: stored or refused.",
      labels: ["definition", "result"],
    });
    this.#ports = {
      client: guardWrites(client, assertMayWrite),
      log,
      onRewritten: (definition, { objects, refused }) => {
        rewrites?.add([definition, "stored"], objects - refused.length);
        rewrites?.add([definition, "refused"], refused.length);
      },
    };
    const onBug = (error: unknown): void => log.error("Bug in a handler", { error });
    const kind = CustomResourceDefinition;
    this.#informer = new Informer({ client, env, kind, scope: OUR_DEFINITIONS, log, onBug });
    this.#informer.addHandler(() => this.#wake());
  }

  /** Maintains the CRDs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.env;
    const watching = this.#informer.run(signal);
    while (!signal.aborted) {
      // Set before the pass, so that a change during the pass leads to another one.
      const change = new Promise<void>((resolve) => (this.#wake = resolve));
      const definitions = [...this.#informer.store.all()];
      // Trust first: the migration of one CRD may take minutes, and meanwhile the others must be readable.
      for (const definition of definitions) await this.#attempt(definition, () => this.#trust(definition));
      for (const definition of definitions) {
        if (!signal.aborted)
          await this.#attempt(definition, (progress) => this.#migrate(definition, progress));
      }
      const tick = new AbortController();
      const ended = AbortSignal.any([signal, tick.signal]);
      await Promise.race([change, clock.sleep(TICK_MS, ended).catch(() => undefined)]);
      tick.abort();
    }
    await watching;
  }

  /** Works on one CRD; a failure does not keep the others from being worked on. */
  async #attempt(
    definition: Frozen<CustomResourceDefinition>,
    work: (progress: Progress) => Promise<void>,
  ): Promise<void> {
    const { log } = this.#options;
    const progress = this.#progressOf(definition);
    try {
      await work(progress);
    } catch (error) {
      this.#delay(progress);
      const { name } = definition.metadata;
      log.warn("Keeping a CustomResourceDefinition failed, retrying", {
        customResourceDefinition: name,
        error,
      });
    }
  }

  async #trust(definition: Definition): Promise<void> {
    const { client, log, bundle, service } = this.#options;
    const authorities = bundle();
    const body = authorities === undefined ? [] : trustPatch(definition, service, authorities);
    if (body.length === 0) return;
    const { name } = definition.metadata;
    log.info("Writing the caBundle of the conversion webhook", { customResourceDefinition: name });
    await client.patch(CustomResourceDefinition, { name }, { type: "json", body });
  }

  async #migrate(definition: Definition, progress: Progress): Promise<void> {
    const { isChecked, notBeforeMs } = progress;
    if (planMigration(definition, { isChecked }).length === 0 || !this.#leads()) return;
    if (this.#options.env.clock.monotonic() < notBeforeMs) return;
    const isDone = await migrateDefinition(this.#ports, definition, { isChecked });
    progress.isChecked = isDone;
    if (isDone) progress.failures = 0;
    else this.#delay(progress);
  }

  #delay(progress: Progress): void {
    const { env } = this.#options;
    const pauseMs = backoffMs(progress.failures, RETRY, env.rng("stored-versions"));
    progress.notBeforeMs = env.clock.monotonic() + pauseMs;
    progress.failures++;
  }

  #progressOf({ metadata: { name, uid, generation } }: Definition): Progress {
    const known = this.#progress.get(name);
    if (known && known.uid === uid && known.generation === generation) return known;
    const { env, settleMs = SETTLE_MS } = this.#options;
    const notBeforeMs = env.clock.monotonic() + settleMs;
    const progress = { uid, generation, notBeforeMs, failures: 0, isChecked: false };
    this.#progress.set(name, progress);
    return progress;
  }

  #leads(): boolean {
    try {
      this.#options.assertMayWrite();
      return true;
    } catch {
      return false;
    }
  }
}
