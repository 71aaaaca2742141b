import {
  deepEqual,
  diffMergePatch,
  type Frozen,
  isJsonObject,
  type Kind,
  type KubernetesObject,
} from "@capstan/api";
import type { Cache } from "../cache/cache.ts";
import { kindId } from "../cache/kind-id.ts";
import { compareVersions } from "../cache/resource-version.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";
import { Failure } from "../failure.ts";

/** The writes of one pass that the cache may not have seen yet. */
export class OwnWrites {
  /** The newest version written of each kind, by the kind's id. */
  readonly #versions = new Map<string, { readonly kind: Kind; readonly version: string }>();
  /** Each version that the pass wrote, and the version it was based on. */
  readonly #bases = new Map<string, string | undefined>();
  /** What the pass applied, by the version that the server answered with. */
  readonly #applied = new Map<string, object>();
  readonly #deletions: Deletion[] = [];
  /** Kinds of which the pass may have created an object, because the answer was lost; by the kind's id. */
  readonly #uncertain = new Map<string, Kind>();

  /** The same client, with its writes tracked here. */
  track(client: Client): Client {
    return {
      ...client,
      create: async (kind, object, options) => {
        try {
          const created = await client.create(kind, object, options);
          if (!options?.dryRun) this.#wrote(kind, created, undefined);
          return created;
        } catch (error) {
          // Only a create can be repeated with an effect: every other write names the state that it changes.
          if (error instanceof Failure && error.outcomeUnknown) this.#uncertain.set(kindId(kind), kind);
          throw error;
        }
      },
      update: async (kind, object, options) => {
        const updated = await client.update(kind, object, options);
        if (!options?.dryRun) this.#wrote(kind, updated, object);
        return updated;
      },
      patch: async (kind, name, patch) => {
        const patched = await client.patch(kind, name, patch);
        if (patch.dryRun) return patched;
        this.#wrote(kind, patched, patch.body as Versioned);
        if (patch.type === "apply")
          this.#applied.set(writeId(kind, patched.metadata.resourceVersion ?? ""), patch.body);
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

  /** Whether only own writes are between two versions of an object, and no write of another client. */
  explains(kind: Kind, from: Frozen<KubernetesObject>, to: Frozen<KubernetesObject>): boolean {
    const applied = this.#applied.get(writeId(kind, to.metadata.resourceVersion ?? ""));
    if (applied && differsOnlyIn(applied, from, to)) return true;
    let version = to.metadata.resourceVersion;
    while (version !== undefined && version !== from.metadata.resourceVersion) {
      version = this.#bases.get(writeId(kind, version));
    }
    return version !== undefined;
  }

  /** Whether all writes have reached the cache. Kinds without a cache do not count: they are always read live. */
  seenBy(cache: Cache): boolean {
    return this.#pending(cache).length === 0;
  }

  /**
   * Waits until all writes have reached the cache. If that takes too long, the kinds are read from the server, so that no
   * decision to create or delete is made on an old state.
   */
  async settle(cache: Cache, limitMs: number): Promise<void> {
    await Promise.all(
      this.#pending(cache).map(async (kind) => {
        const informer = cache.informer(kind);
        const arrived =
          !this.#uncertain.has(kindId(kind)) &&
          (await informer.waitUntil(() => !this.#isPending(kind, cache), limitMs));
        if (!arrived) await this.#readLive(kind, cache);
        this.#uncertain.delete(kindId(kind));
      }),
    );
  }

  /** A failed list ends the pass, except for an optional kind, whose objects are then read from the server one by one. */
  async #readLive(kind: Kind, cache: Cache): Promise<void> {
    const informer = cache.informer(kind);
    try {
      await informer.refresh();
    } catch (error) {
      if (!cache.isOptional(kind)) throw error;
      informer.invalidate();
    }
  }

  #isPending(kind: Kind, cache: Cache): boolean {
    return this.#pending(cache).some((pending) => kindId(pending) === kindId(kind));
  }

  #pending(cache: Cache): Kind[] {
    const pending = new Map([...this.#uncertain].filter(([, kind]) => cache.follows(kind)));
    for (const [id, { kind, version }] of this.#versions) {
      if (cache.follows(kind) && !cache.informer(kind).hasSeen(version)) pending.set(id, kind);
    }
    for (const deletion of this.#deletions) {
      const { kind } = deletion;
      if (cache.follows(kind) && isUnseen(deletion, cache)) pending.set(kindId(kind), kind);
    }
    return [...pending.values()];
  }

  #wrote(kind: Kind, written: Versioned, base: Versioned | undefined): void {
    const version = written.metadata?.resourceVersion ?? "";
    const known = this.#versions.get(kindId(kind));
    if (!known || compareVersions(version, known.version) > 0)
      this.#versions.set(kindId(kind), { kind, version });
    // A write that changed nothing returns the version it was based on.
    const before = base?.metadata?.resourceVersion;
    if (before !== version) this.#bases.set(writeId(kind, version), before);
    this.#released(kind, written);
  }

  /** Removing the last finalizer of an object in deletion deletes it. */
  #released(kind: Kind, { metadata }: Versioned): void {
    const { name, namespace, uid, deletionTimestamp, finalizers = [] } = metadata ?? {};
    if (name === undefined || uid === undefined || deletionTimestamp === undefined) return;
    const key = keyOf({ metadata: { name, namespace } });
    if (finalizers.length === 0) this.#deletions.push({ kind, key, uid, isGone: true });
  }

  /** The answer to a delete has no version; it has been seen when the UID is gone or has a deletion timestamp. */
  #deleted(kind: Kind, name: ObjectName, uid: string | undefined): void {
    if (uid !== undefined) this.#deletions.push({ kind, key: keyOf({ metadata: name }), uid, isGone: false });
  }
}

/**
 * Whether two versions differ in nothing but values that the pass applied. An apply does not say which version it
 * changed, so the versions cannot tell; but such a change is what the pass desired, whichever client wrote it.
 */
function differsOnlyIn(
  applied: object,
  from: Frozen<KubernetesObject>,
  to: Frozen<KubernetesObject>,
): boolean {
  const change = diffMergePatch(comparable(from), comparable(to));
  return change === undefined || isPartOf(change, applied);
}

/** The object without what each write changes. */
function comparable({ metadata, ...rest }: Frozen<KubernetesObject>): Readonly<Record<string, unknown>> {
  const { resourceVersion: _version, generation: _generation, managedFields: _fields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function isPartOf(change: unknown, whole: unknown): boolean {
  if (!isJsonObject(change) || !isJsonObject(whole)) return deepEqual(change, whole);
  return Object.entries(change).every(
    ([name, value]) => Object.hasOwn(whole, name) && isPartOf(value, whole[name]),
  );
}

interface Deletion {
  readonly kind: Kind;
  readonly key: string;
  readonly uid: string;
  /** No finalizer is left, so the deletion timestamp is not enough. */
  readonly isGone: boolean;
}

function isUnseen({ kind, key, uid, isGone }: Deletion, cache: Cache): boolean {
  const metadata = cache.informer(kind).store.get(key)?.metadata;
  return metadata?.uid === uid && (isGone || metadata.deletionTimestamp === undefined);
}

/** The version fields of an object or of a patch. */
interface Versioned {
  readonly metadata?: Partial<Frozen<KubernetesObject>["metadata"]>;
}

function writeId(kind: Kind, version: string): string {
  return `${kindId(kind)} ${version}`;
}
