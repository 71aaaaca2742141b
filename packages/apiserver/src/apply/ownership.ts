/**
 * Who owns which fields after a write, as pure functions: kube-apiserver's algorithm for apply, and for every other
 * write. Both return the managers; the caller stores them with the object in one write.
 */
import { deepEqual } from "@capstan/api";
import { compare, without } from "./compare.ts";
import { ConflictError, type Conflicts } from "./conflicts.ts";
import {
  difference,
  differenceBelow,
  EMPTY,
  type FieldSet,
  intersection,
  isEmptySet,
  union,
} from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { capUpdaters, identityOf, type Manager, type Managers, type Writer } from "./managers.ts";
import { merge } from "./merge.ts";
import type { MergeType } from "./merge-type.ts";
import { readFieldsV1 } from "./fields-v1.ts";
import { prune, type Versions } from "./prune.ts";
import { underSchema } from "./schema-change.ts";

/** What is known about the kind that is written. */
export interface Ownership extends Versions {
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
  const merged = merge(type, live, config) as Fields;
  const object = prune({
    versions: ownership,
    merged,
    version: writer.apiVersion,
    last: before ?? { ...writer, set: EMPTY },
    owned: [...managers.values()],
  });
  const changes = new Changes(ownership, writer.apiVersion, { before: live, after: object });
  const conflicts = conflictsOf(changes, managers, identity);
  if (conflicts.size > 0 && !force) throw new ConflictError(conflicts);
  takeAway(changes, managers, { conflicts, except: identity });
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
  const identity = identityOf(writer);
  const changes = new Changes(ownership, writer.apiVersion, { before, after });
  const conflicts = conflictsOf(changes, managers, identity);
  takeAway(changes, managers, { conflicts, except: undefined });
  const set = difference(changes.in(type, writer.apiVersion).changed, NEVER_OWNED);
  if (isEmptySet(set)) return managers;
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

/** What a write changes, in each version that managers name fields in. */
class Changes {
  readonly #ownership: Ownership;
  readonly #version: string;
  readonly #objects: { readonly before: Fields; readonly after: Fields };
  readonly #known = new Map<string, Change>();

  /** The objects are in the given version. */
  constructor(
    ownership: Ownership,
    version: string,
    objects: { readonly before: Fields; readonly after: Fields },
  ) {
    this.#ownership = ownership;
    this.#version = version;
    this.#objects = objects;
  }

  in(type: MergeType, apiVersion: string): Change {
    const known = this.#known.get(apiVersion);
    if (known) return known;
    const [before, after] = [this.#objects.before, this.#objects.after].map((object) =>
      this.#ownership.convert(object, { from: this.#version, to: apiVersion }),
    );
    const { added, modified, removed } = without(compare(type, before, after), this.#ownership.reset);
    const change = { changed: union(modified, added), removed };
    this.#known.set(apiVersion, change);
    return change;
  }

  /** The same in the version of a manager. */
  for({ apiVersion }: Manager): Change {
    const type = this.#ownership.typeOf(apiVersion);
    return type ? this.in(type, apiVersion) : NO_CHANGE;
  }
}

interface Change {
  /** What has another value, or is new. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

const NO_CHANGE: Change = { changed: EMPTY, removed: EMPTY };

/** The fields of other managers than the writer that the write changes. */
function conflictsOf(changes: Changes, managers: Managers, writer: string): Conflicts {
  const conflicts = new Map<string, { manager: Manager; fields: FieldSet }>();
  for (const [identity, manager] of managers) {
    if (identity === writer) continue;
    const fields = intersection(manager.set, changes.for(manager).changed);
    if (!isEmptySet(fields)) conflicts.set(identity, { manager, fields });
  }
  return conflicts;
}

/** Managers lose the fields that another one has changed, and those that are gone. */
function takeAway(
  changes: Changes,
  managers: Map<string, Manager>,
  { conflicts, except }: { readonly conflicts: Conflicts; readonly except: string | undefined },
): void {
  for (const [identity, manager] of managers) {
    if (identity === except) continue;
    const lost = conflicts.get(identity)?.fields ?? EMPTY;
    const set = difference(difference(manager.set, lost), changes.for(manager).removed);
    if (isEmptySet(set)) managers.delete(identity);
    else if (set !== manager.set) managers.set(identity, { ...manager, set });
  }
}
