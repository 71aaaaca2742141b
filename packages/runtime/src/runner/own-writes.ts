import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { Cache } from "../cache/cache.ts";
import { compareVersions } from "../cache/resource-version.ts";
import { keyOf } from "../cache/store.ts";
import type { Client } from "../client/client.ts";
import type { ObjectName } from "../client/paths.ts";

/** What one pass wrote, and the cache may not have seen yet. */
export class OwnWrites {
  readonly #versions = new Map<Kind, string>();
  readonly #writes = new Set<string>();
  readonly #deletions: { readonly kind: Kind; readonly key: string; readonly uid: string }[] = [];

  /** The same client, with its writes noted here. */
  track(client: Client): Client {
    const noted = <T extends KubernetesObject>(
      kind: Kind<T>,
      object: { readonly metadata: { readonly resourceVersion?: string } },
    ): void => this.#wrote(kind, object.metadata.resourceVersion ?? "");
    return {
      ...client,
      create: async (kind, object, options) => {
        const created = await client.create(kind, object, options);
        noted(kind, created);
        return created;
      },
      update: async (kind, object, options) => {
        const updated = await client.update(kind, object, options);
        noted(kind, updated);
        return updated;
      },
      patch: async (kind, name, patch) => {
        const patched = await client.patch(kind, name, patch);
        noted(kind, patched);
        return patched;
      },
      delete: async (kind, name, options = {}) => {
        await client.delete(kind, name, options);
        this.#deleted(kind, name, options.uid);
      },
    };
  }

  get isEmpty(): boolean {
    return this.#writes.size === 0 && this.#deletions.length === 0;
  }

  /** Whether this version of the object is one that the pass wrote. */
  includes(kind: Kind, object: Frozen<KubernetesObject>): boolean {
    return this.#writes.has(writeId(kind, object.metadata.resourceVersion ?? ""));
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
        const arrived = await informer.waitUntil(() => !this.#pending(cache).includes(kind), limitMs);
        if (!arrived) await informer.refresh();
      }),
    );
  }

  #pending(cache: Cache): Kind[] {
    const pending = new Set<Kind>();
    for (const [kind, version] of this.#versions) {
      if (cache.follows(kind) && !cache.informer(kind).hasSeen(version)) pending.add(kind);
    }
    for (const { kind, key, uid } of this.#deletions) {
      if (!cache.follows(kind)) continue;
      const metadata = cache.informer(kind).store.get(key)?.metadata;
      if (metadata?.uid === uid && metadata.deletionTimestamp === undefined) pending.add(kind);
    }
    return [...pending];
  }

  #wrote(kind: Kind, version: string): void {
    this.#writes.add(writeId(kind, version));
    const known = this.#versions.get(kind);
    if (known === undefined || compareVersions(version, known) > 0) this.#versions.set(kind, version);
  }

  /** Deletions have no version in their answer; they are recognized by the UID being gone or marked. */
  #deleted(kind: Kind, name: ObjectName, uid: string | undefined): void {
    if (uid !== undefined) this.#deletions.push({ kind, key: keyOf({ metadata: name }), uid });
  }
}

function writeId(kind: Kind, version: string): string {
  return `${kind.kind} ${version}`;
}
