import type { StoredEvent } from "@capstan/apiserver";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Truth } from "../../world/truth.ts";

/** A change of an object that somebody's request has made. */
export interface Commit extends Pick<StoredEvent, "object" | "previous"> {
  /** Plural name: `machinepools`, `nodes`. */
  readonly resource: string;
  /** `management`, or the name of a workload cluster. */
  readonly cluster: string;
  /** As the trace names who asked: `user`, or `manager-1/azuremachinepool`. */
  readonly actor: string;
  readonly isDeletion: boolean;
}

interface Unclaimed extends Omit<Commit, "actor"> {
  readonly key: string;
  readonly atMs: number;
}

const MANAGEMENT = "management";

/**
 * Who has changed what. Storage tells of a change while a request is carried out, and the trace of the request when that
 * is answered, which is in the same moment; what nobody's request has changed, such as garbage, is told to nobody.
 */
export class Commits {
  readonly #truth: Truth;
  readonly #followed = new Set<string>();
  #unclaimed: Unclaimed[] = [];

  constructor(truth: Truth) {
    this.#truth = truth;
  }

  /** What a request has changed; nothing for anything else that happens. */
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

  /** Clusters come one by one; nobody has written anything to one before it is heard of. */
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

/** Whether one of the managers under test has done something. */
export function isManager(actor: string): boolean {
  return actor.startsWith("manager-");
}
