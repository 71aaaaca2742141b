import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { Env } from "@capstan/env";
import type { Client, ListOptions } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import type { Logger } from "../log/logger.ts";
import { Informer } from "./informer.ts";
import { keyOf } from "./store.ts";

/** What a cache needs. */
export interface CacheOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  readonly onBug: (error: unknown) => void;
  /** Follow one namespace instead of all. */
  readonly namespace?: string;
}

/** Which objects of a kind: all, those of a namespace, or those an index holds under a value. */
export type Selection = { readonly namespace: string } | { readonly index: string; readonly value: string };

/** Shared informers, one for each kind. Everything it hands out is frozen. */
export class Cache {
  readonly #options: CacheOptions;
  readonly #informers = new Map<string, Informer<KubernetesObject>>();
  readonly #running: Promise<void>[] = [];
  #signal: AbortSignal | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
  }

  /** The informer of the kind; the first to ask for it makes the cache follow the kind. */
  informer<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
    const id = idOf(kind);
    const known = this.#informers.get(id);
    if (known) return known as unknown as Informer<T>;
    const { namespace, ...rest } = this.#options;
    const scope: ListOptions = namespace !== undefined && kind.namespaced ? { namespace } : {};
    const informer = new Informer<T>({ ...rest, kind, scope });
    this.#informers.set(id, informer as unknown as Informer<KubernetesObject>);
    if (this.#signal) this.#running.push(informer.run(this.#signal));
    return informer;
  }

  /** Whether the cache follows the kind. */
  follows(kind: Kind): boolean {
    return this.#informers.has(idOf(kind));
  }

  /** The object, if the kind is followed and the object is there. */
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

  /** Starts all informers and resolves when each has its first list, or the signal is aborted. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const informers = [...this.#informers.values()];
    for (const informer of informers) this.#running.push(informer.run(signal));
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    await Promise.race([Promise.all(informers.map((informer) => informer.synced)), stopped]);
  }

  /** Reads all kinds from the server; when it resolves, nothing that was there when it began is missing. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.refresh()));
  }

  /** Resolves when all informers have ended after the signal of `start` was aborted. */
  async stopped(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Kinds whose first list has not come yet: for readiness and error messages. */
  pending(): string[] {
    return [...this.#informers.values()]
      .filter((informer) => informer.version === undefined)
      .map(({ kind }) => kind.kind);
  }

  #followed<T extends KubernetesObject>(kind: Kind<T>): Informer<T> {
    const informer = this.#informers.get(idOf(kind));
    if (!informer) {
      throw new TypeError(
        `${kind.kind} is not cached; list it in "owns" or "watches" of the reconciler that reads it`,
      );
    }
    return informer as unknown as Informer<T>;
  }
}

// Each look into the cache comes by here, and a text that is made anew is read through each time that it is looked up.
const ids = new WeakMap<Kind, string>();

function idOf(kind: Kind): string {
  const known = ids.get(kind);
  if (known !== undefined) return known;
  const id = `${kind.apiVersion}/${kind.kind}`;
  ids.set(kind, id);
  return id;
}
