import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client, ListOptions } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { isNotServed } from "../failure.ts";
import type { Logger } from "../log/logger.ts";
import { Informer } from "./informer.ts";
import { kindId } from "./kind-id.ts";
import { keyOf } from "./store.ts";

export interface CacheOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  readonly onBug: (error: unknown) => void;
  /** Watch one namespace instead of all. */
  readonly namespace?: string;
  /** Which required kinds the server may lack; such a kind has no objects until it is served. None unless given. */
  readonly mayBeAbsent?: (kind: Kind) => boolean;
}

/** Which objects of a kind: all, those of a namespace, or those an index holds under a value. */
export type Selection = { readonly namespace: string } | { readonly index: string; readonly value: string };

// Users name kinds in references, and each costs a list and a watch: this limits what one user can cause.
const MAX_OPTIONAL_KINDS = 100;

/** Shared informers, one for each kind. All returned objects are frozen. */
export class Cache {
  readonly #options: CacheOptions;
  /** The manager is not ready before each of these has its first list, or is known to be absent if it may be. */
  readonly #informers = new Map<string, Informer<KubernetesObject>>();
  /** Kinds that the server may not serve: readiness and catch-up do not wait for them. */
  readonly #optional = new Map<string, Informer<KubernetesObject>>();
  readonly #running: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The informer of the kind; the first call starts a watch of the kind. */
  informer<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
    return this.#known(kind) ?? this.#create(kind, this.#informers, { isOptional: this.#mayBeAbsent(kind) });
  }

  /**
   * The informer of a kind that the server may not serve yet, or ever; undefined when there are too many of them. The kind
   * counts as watched after its first list.
   */
  optionalInformer<T extends KubernetesObject>(kind: Kind<T>): Informer<T> | undefined {
    const known = this.#known(kind);
    if (known || this.#optional.size >= MAX_OPTIONAL_KINDS) return known;
    return this.#create(kind, this.#optional, { isOptional: true });
  }

  /** Whether reads of the kind are answered: always for required kinds, for optional ones while they are listed and watched. */
  follows(kind: Kind): boolean {
    const id = kindId(kind);
    return this.#informers.has(id) || this.#optional.get(id)?.isCurrent === true;
  }

  /** Whether the kind is watched without being required. */
  isOptional(kind: Kind): boolean {
    return this.#optional.has(kindId(kind));
  }

  /** The object, if the kind is watched and the object exists. */
  get<T extends KubernetesObject>(kind: Kind<T>, name: ObjectName): Frozen<T> | undefined {
    return this.#followed(kind).store.get(keyOf({ metadata: name }));
  }

  /** Objects of the kind, in no particular order. */
  list<T extends KubernetesObject>(kind: Kind<T>, selection?: Selection): readonly Frozen<T>[] {
    const { store } = this.#followed(kind);
    if (!selection) return store.all();
    return "index" in selection
      ? store.byIndex(selection.index, selection.value)
      : store.byIndex("namespace", selection.namespace);
  }

  /** Starts all informers and resolves when the first list of each required one is answered, or the signal is aborted. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const informers = [...this.#informers.values()];
    for (const informer of [...informers, ...this.#optional.values()])
      this.#running.push(informer.run(signal));
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(informers.map((informer) => informer.synced)), stopped]);
  }

  /** Lists all required kinds again; when it resolves, the cache has everything that existed at its start. */
  async refresh(): Promise<void> {
    await Promise.all(
      [...this.#informers.values()].map(async (informer) => {
        try {
          await informer.refresh();
        } catch (error) {
          if (!isNotServed(error) || !this.#mayBeAbsent(informer.kind)) throw error;
          informer.invalidate();
        }
      }),
    );
  }

  /** Resolves when all informers have ended after the signal of `start` was aborted. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Required kinds whose first list is not answered: for readiness and error messages. */
  pending(): string[] {
    return [...this.#informers.values()]
      .filter((informer) => !informer.isAnswered)
      .map(({ kind }) => kind.kind);
  }

  /** Why required kinds have no first list, as far as a list has failed. */
  problems(): string[] {
    return [...this.#informers.values()].flatMap(({ kind, problem }) =>
      problem === undefined ? [] : [`${kind.kind} cannot be listed: ${problem}`],
    );
  }

  #known<T extends KubernetesObject>(kind: Kind<T>): Informer<T> | undefined {
    const id = kindId(kind);
    return (this.#informers.get(id) ?? this.#optional.get(id)) as unknown as Informer<T> | undefined;
  }

  #mayBeAbsent(kind: Kind): boolean {
    return this.#options.mayBeAbsent?.(kind) ?? false;
  }

  #create<T extends KubernetesObject>(
    kind: Kind<T>,
    informers: Map<string, Informer<KubernetesObject>>,
    { isOptional }: { readonly isOptional: boolean },
  ): Informer<T> {
    const { namespace, ...rest } = this.#options;
    const scope: ListOptions = namespace !== undefined && kind.namespaced ? { namespace } : {};
    const informer = new Informer<T>({ ...rest, kind, scope, isOptional });
    informers.set(kindId(kind), informer as unknown as Informer<KubernetesObject>);
    if (this.#signal) this.#running.push(informer.run(this.#signal));
    return informer;
  }

  #followed<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
    const informer = this.#known(kind);
    if (!informer) {
      throw new TypeError(
        `${kind.kind} is not cached; list it in "owns" or "watches" of the reconciler that reads it, or call context.watch()`,
      );
    }
    return informer;
  }
}
