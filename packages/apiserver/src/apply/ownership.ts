/**
 * Who owns which fields after a write, as pure functions: kube-apiserver's algorithm for apply, and for every other
 * write. Both return the managers; the caller stores them with the object in one write.
 */
import { deepEqual } from "@capstan/api";
import { compare, type Comparison, without } from "./compare.ts";
import { ConflictError, type Conflicts } from "./conflicts.ts";
import {
  difference,
  differenceBelow,
  EMPTY,
  type FieldSet,
  intersection,
  isEmptySet,
  union,
  unionAll,
} from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { capUpdaters, identityOf, type Manager, type Managers, type Writer } from "./managers.ts";
import { merge } from "./merge.ts";
import type { MergeType } from "./merge-type.ts";
import { readFieldsV1 } from "./fields-v1.ts";
import { prune } from "./prune.ts";
import { underSchema } from "./schema-change.ts";

/** What is known about the kind that is written. */
export interface Ownership {
  /** The type of the objects in a version; undefined if the version is no longer served. */
  typeOf(apiVersion: string): MergeType | undefined;
  /** The paths that this endpoint does not write: they are neither owned nor compared. */
  readonly reset: FieldSet;
  /** The present time, as entries have it. */
  readonly now: string;
}

type Fields = Readonly<Record<string, unknown>>;

// Fields that the server decides, or that identify the object: no manager owns them.
const NEVER_OWNED =
  readFieldsV1({
    "f:apiVersion": {},
    "f:kind": {},
    "f:metadata": {
      ".": {},
      "f:name": {},
      "f:namespace": {},
      "f:creationTimestamp": {},
      "f:selfLink": {},
      "f:uid": {},
      "f:clusterName": {},
      "f:generation": {},
      "f:managedFields": {},
      "f:resourceVersion": {},
    },
  }) ?? EMPTY;

/** An apply of one manager. */
interface Apply {
  readonly live: Fields;
  readonly config: Fields;
  readonly managers: Managers;
  readonly writer: Writer;
  /** Take fields of other managers instead of failing. */
  readonly force: boolean;
}

/** The result of an apply: the new object without defaults, and its managers. */
export interface Applied {
  readonly object: Fields;
  readonly managers: Managers;
}

/** Applies a configuration. Throws a ConflictError if it changes fields of other managers and is not forced. */
export function applyConfiguration(ownership: Ownership, type: MergeType, apply: Apply): Applied {
  const { live, config, writer, force } = apply;
  const managers = new Map(currentManagers(ownership, apply.managers));
  const identity = identityOf(writer);
  const before = managers.get(identity);
  const set = differenceBelow(fieldSetOf(type, config), ownership.reset);
  managers.set(identity, { ...writer, time: before?.time, set });
  const merged = merge(type, live, config);
  const owned = unionAll([...managers.values()].map((manager) => manager.set));
  const object = prune({ type, merged, last: before?.set ?? EMPTY, owned }) as Fields;
  const { conflicts, removed } = effects(
    ownership,
    { before: live, after: object },
    { managers, except: identity },
  );
  if (conflicts.size > 0 && !force) throw new ConflictError(conflicts);
  takeAway(managers, { conflicts, removed });
  const time = deepEqual(object, live) ? before?.time : ownership.now;
  managers.set(identity, { ...writer, time, set: difference(set, NEVER_OWNED) });
  return { object, managers };
}

/** A write of one manager that does not apply. */
interface Update {
  readonly before: Fields;
  readonly after: Fields;
  readonly managers: Managers;
  readonly writer: Writer;
}

/** The managers after a create, update or patch: the writer owns what it has changed or added, others lose it. */
export function captureUpdate(ownership: Ownership, type: MergeType, update: Update): Managers {
  const { before, after, writer } = update;
  const managers = new Map(currentManagers(ownership, update.managers));
  const { conflicts, removed } = effects(ownership, { before, after }, { managers, except: undefined });
  takeAway(managers, { conflicts, removed });
  const { added, modified } = without(compare(type, before, after), ownership.reset);
  const set = difference(union(modified, added), NEVER_OWNED);
  if (isEmptySet(set)) return managers;
  const identity = identityOf(writer);
  const known = managers.get(identity);
  managers.set(identity, { ...writer, time: ownership.now, set: known ? union(known.set, set) : set });
  return capUpdaters(managers);
}

/** The managers under the current schemas; those of a version that is no longer served have nothing. */
function currentManagers(ownership: Ownership, managers: Managers): [string, Manager][] {
  return [...managers].flatMap(([identity, manager]): [string, Manager][] => {
    const type = ownership.typeOf(manager.apiVersion);
    if (!type) return [];
    const set = underSchema(type, manager.set);
    return [[identity, set === manager.set ? manager : { ...manager, set }]];
  });
}

/** What a change means for the other managers. */
interface Effects {
  readonly conflicts: Conflicts;
  /** What the change removes, by the version of the manager. */
  readonly removed: ReadonlyMap<string, FieldSet>;
}

function effects(
  ownership: Ownership,
  { before, after }: { readonly before: Fields; readonly after: Fields },
  { managers, except }: { readonly managers: Managers; readonly except: string | undefined },
): Effects {
  const comparisons = new Map<MergeType, Comparison>();
  const conflicts = new Map<string, { manager: Manager; fields: FieldSet }>();
  const removed = new Map<string, FieldSet>();
  for (const [identity, manager] of managers) {
    const type = identity === except ? undefined : ownership.typeOf(manager.apiVersion);
    if (!type) continue;
    let found = comparisons.get(type);
    if (!found) comparisons.set(type, (found = without(compare(type, before, after), ownership.reset)));
    const fields = intersection(manager.set, union(found.modified, found.added));
    if (!isEmptySet(fields)) conflicts.set(identity, { manager, fields });
    removed.set(identity, found.removed);
  }
  return { conflicts, removed };
}

function takeAway(managers: Map<string, Manager>, { conflicts, removed }: Effects): void {
  for (const [identity, gone] of removed) {
    const manager = managers.get(identity);
    if (!manager) continue;
    const lost = conflicts.get(identity)?.fields ?? EMPTY;
    const set = difference(difference(manager.set, lost), gone);
    if (isEmptySet(set)) managers.delete(identity);
    else if (set !== manager.set) managers.set(identity, { ...manager, set });
  }
}
