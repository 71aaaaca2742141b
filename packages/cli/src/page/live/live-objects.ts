import {
  AzureCluster,
  AzureMachine,
  AzureMachinePool,
  AzureMachinePoolMachine,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Frozen,
  type Kind,
  KubeadmConfig,
  KubeadmControlPlane,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
} from "@capstan/api";
import type { Env } from "@capstan/env";
import {
  Cache,
  type Change,
  type Client,
  type ListOptions,
  type Logger,
  type ObjectName,
} from "@capstan/runtime";
import { selectorOf } from "./selector.ts";

/** The kinds that the views are made of; their objects are kept equal to the server. Secrets are not among them. */
export const LIVE_KINDS: readonly Kind[] = [
  Cluster,
  AzureCluster,
  KubeadmControlPlane,
  KubeadmConfig,
  MachinePool,
  AzureMachinePool,
  AzureMachinePoolMachine,
  MachineDeployment,
  MachineSet,
  Machine,
  AzureMachine,
];

/** An object that has changed: its newest state, or its last one. */
export interface ObjectChange {
  readonly kind: Kind;
  readonly object: Frozen<KubernetesObject>;
  readonly isGone: boolean;
}

interface LiveOptions {
  readonly client: Client;
  readonly env: Env;
  readonly log: Logger;
  /** The namespaces that are watched; all of them, with one watch for each kind, if undefined. */
  readonly namespaces: readonly string[] | undefined;
}

/** The objects behind the views, with the user's own credential, in as many caches as there are namespaces to watch. */
export class LiveObjects {
  readonly #caches: ReadonlyMap<string, Cache>;
  readonly #listeners = new Set<(change: ObjectChange) => void>();
  readonly #client: Client;
  readonly #ended = new AbortController();

  constructor({ client, env, log, namespaces }: LiveOptions) {
    this.#client = client;
    const onBug = (error: unknown): void => log.error("A view failed", { error });
    const cacheOf = (namespace?: string): Cache =>
      new Cache({
        client,
        env,
        log,
        onBug,
        mayBeAbsent: () => true,
        ...(namespace !== undefined && { namespace }),
      });
    this.#caches =
      namespaces === undefined
        ? new Map([[ALL, cacheOf()]])
        : new Map(namespaces.map((namespace) => [namespace, cacheOf(namespace)]));
  }

  /** Starts to watch; resolves when everything that may be listed has been. */
  async start(limitMs: number, env: Env): Promise<void> {
    const informers = [...this.#caches.values()].flatMap((cache) =>
      LIVE_KINDS.map((kind) => {
        const informer = cache.informer(kind);
        informer.store.addIndex(LABELS, labelsOf);
        informer.store.addIndex(CLUSTER, clusterKeysOf);
        informer.addHandler((change) => this.#publish(kind, change));
        return informer;
      }),
    );
    for (const cache of this.#caches.values()) void cache.start(this.#ended.signal);
    // A kind that the user may not list is never synced: the views do without it.
    const late = new AbortController();
    const timer = env.clock.timer(limitMs, () => late.abort());
    const isSettled = (): boolean =>
      informers.every(({ isAnswered, problem }) => isAnswered || problem !== undefined);
    while (!late.signal.aborted && !isSettled()) await env.clock.sleep(SETTLE_MS);
    timer.cancel();
  }

  /** Why kinds cannot be listed, a sentence for each. */
  problems(): readonly string[] {
    return [...new Set([...this.#caches.values()].flatMap((cache) => cache.problems()))];
  }

  /** Calls a function with each change, until the returned one is called. */
  onChange(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Objects of a kind, of one namespace or of all that are watched, perhaps with labels. */
  list<T extends KubernetesObject>(
    kind: Kind<T>,
    { namespace, labelSelector }: ListOptions = {},
  ): readonly Frozen<T>[] {
    const selector = labelSelector === undefined ? undefined : selectorOf(labelSelector);
    return this.#cachesOf(namespace).flatMap((cache) => {
      const [label] = selector?.pairs ?? [];
      const found =
        label === undefined
          ? cache.list(kind, namespace === undefined ? undefined : { namespace })
          : cache.list(kind, { index: LABELS, value: label });
      return found.filter(
        ({ metadata }) =>
          (namespace === undefined || metadata.namespace === namespace) &&
          (selector === undefined || selector.matches(metadata.labels ?? {})),
      );
    });
  }

  /** The object with a key of the form NAMESPACE/NAME. */
  get<T extends KubernetesObject>(kind: Kind<T>, key: string): Frozen<T> | undefined {
    const [namespace = "", name = ""] = key.split("/");
    return this.#cachesOf(namespace)
      .map((cache) => cache.get(kind, { namespace, name }))
      .find((object) => object !== undefined);
  }

  /** The objects of a kind that belong to a cluster. */
  ofCluster<T extends KubernetesObject>(
    kind: Kind<T>,
    { namespace, name }: { readonly namespace: string; readonly name: string },
  ): readonly Frozen<T>[] {
    const value = `${namespace}/${name}`;
    return this.#cachesOf(namespace).flatMap((cache) => cache.list(kind, { index: CLUSTER, value }));
  }

  /** A client that answers reads of the live kinds from here, and asks the server for all others. */
  reader(): Client {
    const find = async <T extends KubernetesObject>(
      kind: Kind<T>,
      name: ObjectName,
    ): Promise<Frozen<T> | undefined> =>
      this.#follows(kind)
        ? this.#cachesOf(name.namespace)
            .map((cache) => cache.get(kind, name))
            .find((object) => object !== undefined)
        : await this.#client.find(kind, name);
    return {
      ...this.#client,
      find,
      get: async (kind, name) => (await find(kind, name)) ?? (await this.#client.get(kind, name)),
      list: async (kind, options) =>
        this.#follows(kind) && options?.fieldSelector === undefined
          ? this.list(kind, options)
          : await this.#client.list(kind, options),
    };
  }

  /** Aborted when the watches have ended. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Ends all watches. */
  close(): void {
    this.#ended.abort();
  }

  #follows(kind: Kind): boolean {
    return LIVE_KINDS.some((one) => one.kind === kind.kind && one.group === kind.group);
  }

  #cachesOf(namespace: string | undefined): readonly Cache[] {
    const all = this.#caches.get(ALL);
    if (all) return [all];
    if (namespace === undefined) return [...this.#caches.values()];
    const own = this.#caches.get(namespace);
    return own ? [own] : [];
  }

  #publish(kind: Kind, change: Change<KubernetesObject>): void {
    const isGone = change.type === "deleted";
    for (const listener of this.#listeners) listener({ kind, object: change.object, isGone });
  }
}

const ALL = "";
const LABELS = "labels";
const CLUSTER = "cluster";
const SETTLE_MS = 20;

/** The cluster of an object, by its spec or by its label. */
export function clusterNameOf(object: Frozen<KubernetesObject>): string | undefined {
  const { spec } = object as { readonly spec?: { readonly clusterName?: unknown } };
  const { clusterName } = spec ?? {};
  return typeof clusterName === "string" ? clusterName : object.metadata.labels?.[CLUSTER_NAME_LABEL];
}

function clusterKeysOf(object: Frozen<KubernetesObject>): readonly string[] {
  const name = clusterNameOf(object);
  return name === undefined ? [] : [`${object.metadata.namespace}/${name}`];
}

function labelsOf({ metadata }: Frozen<KubernetesObject>): readonly string[] {
  return Object.entries(metadata.labels ?? {}).map(([name, value]) => `${name}=${value}`);
}
