import { AzureCluster, type Frozen } from "@capstan/api";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Truth } from "../../world/truth.ts";
import { isManager } from "./commits.ts";
import { PoolLookup } from "./pool-lookup.ts";

interface TaggedSet {
  /** A set that was created again has other tags. */
  readonly createdMs: number;
  tags: Readonly<Record<string, string>>;
  /** Names of tags that a manager has written once: they are ours from then on, also when another client changes them. */
  readonly ours: Set<string>;
  /** When another client last wrote tags. */
  othersMs: number;
}

// A controller that writes a set has read it no longer ago than this. Simulated Azure does not change the etag of a set when
// only its tags are written, so a controller cannot notice a tag that was added in between.
const MOST_AGE_MS = 30_000;

const SET =
  /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/[^/]+\/virtualmachinescalesets\/[^/]+/i;

/** The id of the scale set that a request wrote to. */
function writtenSet(happening: TraceEvent["happening"]): string | undefined {
  if (happening.kind !== "arm" || happening.method === "GET" || happening.status >= 300) return undefined;
  return SET.exec(happening.path)?.[0];
}

/** The tags of scale sets, and which client wrote them. */
export class UserTags {
  readonly #truth: Truth;
  readonly #poolLookup: PoolLookup;
  readonly #sets = new Map<string, TaggedSet>();

  constructor(truth: Truth) {
    this.#truth = truth;
    this.#poolLookup = new PoolLookup(truth);
  }

  /** Records a write; returns another client's tag that a manager has removed or changed. */
  note({ actor, happening, atMs }: TraceEvent): string | undefined {
    const id = writtenSet(happening);
    if (id === undefined) return undefined;
    const { set, now } = this.#known(id);
    if (!set) return undefined;
    const before = set.tags;
    set.tags = now;
    if (isManager(actor)) return this.#lost(id, set, { before, isRecent: atMs - set.othersMs < MOST_AGE_MS });
    set.othersMs = atMs;
    return undefined;
  }

  #lost(
    id: string,
    set: TaggedSet,
    { before, isRecent }: { readonly before: TaggedSet["tags"]; readonly isRecent: boolean },
  ): string | undefined {
    const changed = Object.keys({ ...before, ...set.tags }).filter((name) => set.tags[name] !== before[name]);
    const lost = changed.find((name) => before[name] !== undefined && !this.#isOurs(id, set, name));
    for (const name of changed) set.ours.add(name);
    if (lost === undefined || isRecent) return undefined;
    return `another client's tag "${lost}: ${before[lost]}" was removed from or changed on ${id}`;
  }

  #known(id: string): { readonly set: TaggedSet | undefined; readonly now: TaggedSet["tags"] } {
    const resource = this.#truth.azure.core.world.resources.get(id);
    const now = (resource?.body["tags"] ?? {}) as TaggedSet["tags"];
    const key = id.toLowerCase();
    if (!resource) this.#sets.delete(key);
    else if (this.#sets.get(key)?.createdMs !== resource.createdMs)
      this.#sets.set(key, { createdMs: resource.createdMs, tags: {}, ours: new Set(), othersMs: -Infinity });
    return { set: this.#sets.get(key), now };
  }

  /** A tag in a spec may overwrite another client's value. */
  #isOurs(id: string, { ours }: TaggedSet, name: string): boolean {
    if (ours.has(name)) return true;
    const { group, plural } = AzureCluster;
    const clusters = [...this.#truth.management.list({ resource: `${group}/${plural}` })];
    const pool = this.#poolLookup.poolNamed(id.slice(id.lastIndexOf("/") + 1))?.pool;
    return [...(clusters as unknown as Frozen<AzureCluster>[]), ...(pool ? [pool] : [])].some(
      ({ spec }) => spec.additionalTags?.[name] !== undefined,
    );
  }
}
