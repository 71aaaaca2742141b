import { type Frozen, type Node, UPDATE_INSTANCE_ANNOTATION } from "@capstan/api";
import { type Commit, isManager } from "./commits.ts";

/** A label, annotation or taint of an object, such as `label tier`, and its value. */
type Marks = ReadonlyMap<string, string>;

// Marks that ask us for something, which we remove when it is done, and marks that are ours to write.
const OURS: ReadonlySet<string> = new Set([
  `annotation ${UPDATE_INSTANCE_ANNOTATION}`,
  "annotation capstan.dev/allow-removal",
  "annotation capstan.dev/surge",
  "annotation capstan.dev/model-hash",
  "annotation capstan.dev/cordoned",
  "annotation sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-vmss",
  "label cluster.x-k8s.io/cluster-name",
  "label azuremachinepool.infrastructure.cluster.x-k8s.io/machine-pool",
]);
// Marks that describe the state of a Node; they do not carry over to another boot.
const PASSING = /^taint node\.(kubernetes|cloudprovider\.kubernetes|cluster\.x-k8s)\.io\//;

/** Labels, annotations and taints that users have put on objects. */
export class UserMarks {
  readonly #theirs = new Map<string, Map<string, string>>();

  /** Records a change; returns the user's mark that a manager has removed or changed. */
  note(id: string, { actor, object, previous }: Commit): string | undefined {
    const known = this.#theirs.get(id);
    if (!known && actor !== "user") return undefined;
    const theirs = known ?? new Map<string, string>();
    const before = marksOf(previous);
    const now = marksOf(object);
    for (const [name, value] of before) {
      if (!theirs.has(name) || now.get(name) === value) continue;
      if (isManager(actor)) return `${actor} has removed or changed "${name}: ${value}"`;
      theirs.delete(name);
    }
    if (actor === "user") put(theirs, before, now);
    if (theirs.size > 0) this.#theirs.set(id, theirs);
    return undefined;
  }

  /** The user's mark that a replacement of the object lacks. */
  missingIn(id: string, object: object): string | undefined {
    const theirs = this.#theirs.get(id);
    if (!theirs) return undefined;
    const now = marksOf(object);
    return [...theirs.keys()].find((name) => !now.has(name));
  }

  /** Forgets an object that is gone without a replacement. */
  forget(id: string): void {
    this.#theirs.delete(id);
  }
}

function put(theirs: Map<string, string>, before: Marks, now: Marks): void {
  for (const [name, value] of now) if (before.get(name) !== value) theirs.set(name, value);
}

function marksOf(object: object | undefined): Marks {
  const { metadata, spec } = (object ?? { metadata: {} }) as Frozen<Node>;
  const { labels = {}, annotations = {} } = metadata;
  const all = [
    ...Object.entries(labels).map(([name, value]) => [`label ${name}`, value] as const),
    ...Object.entries(annotations).map(([name, value]) => [`annotation ${name}`, value] as const),
    ...(spec?.taints ?? []).map(({ key, effect, value = "" }) => [`taint ${key} ${effect}`, value] as const),
  ];
  return new Map(all.filter(([name]) => !OURS.has(name) && !PASSING.test(name)));
}
