import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { Cache } from "../cache/cache.ts";
import { compareVersions } from "../cache/resource-version.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { Failure } from "../failure.ts";

/** What one pass wrote, and the cache may not have seen yet. */
export class OwnWrites {
  readonly #versions = new Map<Kind, string>();
  /** Each version the pass wrote, and the one it was based on. */
  readonly #bases = new Map<string, string | undefined>();
  readonly #deletions: Deletion[] = [];
  /** Kinds of which the pass may have created an object: the answer got lost. */
  readonly #uncertain = new Set<Kind>();

  /** The same client, with its writes noted here. */
  track(client: Client): Client {
    return {
      ...client,
      create: async (kind, object, options) => {
        try {
          const created = await client.create(kind, object, options);
          this.#wrote(kind, created, undefined);
          return created;
        } catch (error) {
          // Only a create can be repeated with an effect: every other write names the state it wants to change.
          if (error instanceof Failure && error.outcomeUnknown) this.#uncertain.add(kind);
          throw error;
        }
      },
      update: async (kind, object, options) => {
        const updated = await client.update(kind, object, options);
        this.#wrote(kind, updated, object);
        return updated;
      },
      patch: async (kind, name, patch) => {
        const patched = await client.patch(kind, name, patch);
        this.#wrote(kind, patched, patch.body as Versioned);
        return patched;
      },
      delete: async (kind, name, options = {}) => {
        await client.delete(kind, name, options);
        this.#deleted(kind, name, options.uid);
      },
    };
  }

  get isEmpty(): boolean {
    return this.#bases.size + this.#deletions.length + this.#uncertain.size === 0;
  }

  /** Whether the pass alone made the one version of an object of the other: nobody else's change is between them. */
  explains(kind: Kind, from: Frozen<KubernetesObject>, to: Frozen<KubernetesObject>): boolean {
    let version = to.metadata.resourceVersion;
    while (version !== undefined && version !== from.metadata.resourceVersion) {
      version = this.#bases.get(writeId(kind, version));
    }
    return version !== undefined;
  }

  /** Whether everything has reached the cache. Kinds that are not cached do not count: they are always read live. */
  seenBy(cache: Cache): boolean {
    return this.#pending(cache).length === 0;
  }

  /**
   * Waits until everything has reached the cache. If that takes too long, the kinds in question are read
   * from the server, so that no decision to create or delete is made on the past.
   */
  async settle(cache: Cache, limitMs: number): Promise<void> {
    await Promise.all(
      this.#pending(cache).map(async (kind) => {
        const informer = cache.informer(kind);
        const arrived =
          !this.#uncertain.has(kind) &&
          (await informer.waitUntil(() => !this.#pending(cache).includes(kind), limitMs));
        if (!arrived) await informer.refresh();
        this.#uncertain.delete(kind);
      }),
    );
  }

  #pending(cache: Cache): Kind[] {
    const pending = new Set([...this.#uncertain].filter((kind) => cache.follows(kind)));
    for (const [kind, version] of this.#versions) {
      if (cache.follows(kind) && !cache.informer(kind).hasSeen(version)) pending.add(kind);
    }
    for (const deletion of this.#deletions) {
      if (cache.follows(deletion.kind) && isUnseen(deletion, cache)) pending.add(deletion.kind);
    }
    return [...pending];
  }

  #wrote(kind: Kind, written: Versioned, base: Versioned | undefined): void {
    const version = written.metadata?.resourceVersion ?? "";
    const known = this.#versions.get(kind);
    if (known === undefined || compareVersions(version, known) > 0) this.#versions.set(kind, version);
    // A write that changed nothing gives back the version it was based on.
    const before = base?.metadata?.resourceVersion;
    if (before !== version) this.#bases.set(writeId(kind, version), before);
    this.#released(kind, written);
  }

  /** Whoever takes the last finalizer off an object that is being deleted has deleted it. */
  #released(kind: Kind, { metadata }: Versioned): void {
    const { name, namespace, uid, deletionTimestamp, finalizers = [] } = metadata ?? {};
    if (name === undefined || uid === undefined || deletionTimestamp === undefined) return;
    const key = keyOf({ metadata: { name, namespace } });
    if (finalizers.length === 0) this.#deletions.push({ kind, key, uid, isGone: true });
  }

  /** Deletions have no version in their answer; they are recognized by the UID being gone or marked. */
  #deleted(kind: Kind, name: ObjectName, uid: string | undefined): void {
    if (uid !== undefined) this.#deletions.push({ kind, key: keyOf({ metadata: name }), uid, isGone: false });
  }
}

interface Deletion {
  readonly kind: Kind;
  readonly key: string;
  readonly uid: string;
  /** Nothing holds the object any more: it is not enough that it is marked. */
  readonly isGone: boolean;
}

function isUnseen({ kind, key, uid, isGone }: Deletion, cache: Cache): boolean {
  const metadata = cache.informer(kind).store.get(key)?.metadata;
  return metadata?.uid === uid && (isGone || metadata.deletionTimestamp === undefined);
}

/** An object or a patch of one, as far as its version goes. */
interface Versioned {
  readonly metadata?: Partial<Frozen<KubernetesObject>["metadata"]>;
}

function writeId(kind: Kind, version: string): string {
  return `${kind.kind} ${version}`;
}
