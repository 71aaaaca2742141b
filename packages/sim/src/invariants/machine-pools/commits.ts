import type { StoredEvent } from "@capstan/apiserver";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Truth } from "../../world/truth.ts";

/** A change of an object by a request. */
export interface Commit extends Pick<StoredEvent, "object" | "previous"> {
  /** Plural name: `machinepools`, `nodes`. */
  readonly resource: string;
  /** `management`, or the name of a workload cluster. */
  readonly cluster: string;
  /** The actor, as in the trace: `user`, or `manager-1/azuremachinepool`. */
  readonly actor: string;
  readonly isDeletion: boolean;
}

interface Unclaimed extends Omit<Commit, "actor"> {
  readonly key: string;
  readonly atMs: number;
}

const MANAGEMENT = "management";

/**
 * Which actor changed which object. Storage reports a change while a request is carried out, and the trace reports the
 * request with its answer, at the same virtual time. A change without a request, such as garbage collection, is not
 * reported.
 */
export class Commits {
  readonly #truth: Truth;
  readonly #followed = new Set<string>();
  #unclaimed: Unclaimed[] = [];

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  /** The changes of a request; none for any other event. */
  of({ actor, happening }: TraceEvent): readonly Commit[] {
    this.#follow(MANAGEMENT);
    if (happening.kind !== "write") return NOTHING;
    const { cluster, resource, namespace = "", name } = happening;
    this.#follow(cluster);
    if (this.#unclaimed.length === 0) return NOTHING;
    const key = keyOf(cluster, resource, `${namespace}/${name}`);
    const claimed = this.#unclaimed.filter((one) => one.key === key && one.atMs === this.#truth.nowMs);
    if (claimed.length === 0) return NOTHING;
    this.#unclaimed = this.#unclaimed.filter((one) => !claimed.includes(one));
    return claimed.map((one) => ({ ...one, actor }));
  }

  /** Clusters appear one by one; no client writes to a cluster before its first event. */
  #follow(cluster: string): void {
    if (this.#followed.has(cluster)) return;
    const storage = cluster === MANAGEMENT ? this.#truth.management : this.#truth.workload(cluster);
    if (!storage) return;
    this.#followed.add(cluster);
    storage.follow((stored, { object, previous, namespace, line }) => {
      const resource = stored.slice(stored.lastIndexOf("/") + 1);
      const key = keyOf(cluster, resource, `${namespace}/${object.metadata.name}`);
      const atMs = this.#truth.nowMs;
      if (this.#unclaimed[0] && this.#unclaimed[0].atMs !== atMs) this.#unclaimed = [];
      const isDeletion = line.type === "DELETED";
      this.#unclaimed.push({ key, atMs, cluster, resource, object, previous, isDeletion });
    });
  }
}

const NOTHING: readonly Commit[] = [];

function keyOf(cluster: string, resource: string, name: string): string {
  return `${cluster} ${resource} ${name}`;
}

/** Whether the actor is one of the managers under test. */
export function isManager(actor: string): boolean {
  return actor.startsWith("manager-");
}
