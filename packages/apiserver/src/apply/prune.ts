import {
  difference,
  EMPTY,
  type FieldSet,
  intersection,
  isEmptySet,
  union,
  unionAll,
  withChildren,
  withSelf,
} from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { innerType, type MergeType } from "./merge-type.ts";
import { removeItems } from "./remove.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What pruning works with. */
interface Pruning {
  readonly versions: Versions;
  readonly merged: Fields;
  /** The version of the merged object. */
  readonly version: string;
  /** What the manager applied last. */
  readonly last: VersionedSet;
  /** What all managers own now, in the versions of the managers; the new set of the applying one is included. */
  readonly owned: readonly VersionedSet[];
}

/** Fields, in the version that they are named in. */
interface VersionedSet {
  readonly apiVersion: string;
  readonly set: FieldSet;
}

/** The versions of the kind that is written. */
export interface Versions {
  /** The type of the objects in a version; undefined if the version is no longer served. */
  typeOf(apiVersion: string): MergeType | undefined;
  /** An object of one version in another. */
  convert(object: Fields, versions: { readonly from: string; readonly to: string }): Fields;
}

/**
 * Removes what the manager applied last and no manager owns now. An item of a list goes unless the item itself has an
 * owner; a struct goes, with its unowned content, when none of its fields has one. Managers name their fields in their
 * own versions, so the object is converted to each of them, as in kube-apiserver.
 */
export function prune({ versions, merged, version, last, owned }: Pruning): Fields {
  const type = versions.typeOf(last.apiVersion);
  if (isEmptySet(last.set) || !type) return merged;
  const whole = versions.convert(merged, { from: version, to: last.apiVersion });
  const lastFields = withNamedFields(type, last.set);
  const rest = removeItems(type, whole, { set: lastFields });
  const sets = setsByVersion(owned, last.apiVersion);
  const kept = withOwned(versions, { whole, rest: rest as Fields, apiVersion: last.apiVersion }, sets);
  const wholeFields = withNamedFields(type, fieldSetOf(type, whole));
  const keptFields = withNamedFields(type, fieldSetOf(type, kept));
  const set = intersection(difference(wholeFields, keptFields), lastFields);
  const back = { from: last.apiVersion, to: version };
  // As in kube-apiserver, fields that the version of the last apply lacks are lost; the next apply keeps them.
  if (isEmptySet(set)) return version === last.apiVersion ? merged : versions.convert(whole, back);
  // What the manager never applied stays. kube-apiserver leaves a null in place of an emptied container, and then
  // refuses it.
  const pruned = removeItems(type, whole, { set, owned: sets.get(last.apiVersion) ?? EMPTY }) as Fields;
  return versions.convert(pruned, back);
}

/** The union of all sets of each version, the given version first. */
function setsByVersion(owned: readonly VersionedSet[], first: string): ReadonlyMap<string, FieldSet> {
  const sets = new Map<string, FieldSet[]>([[first, []]]);
  for (const { apiVersion, set } of owned) sets.set(apiVersion, [...(sets.get(apiVersion) ?? []), set]);
  return new Map([...sets].map(([apiVersion, same]) => [apiVersion, unionAll(same)]));
}

/** An object, and what is left of it. */
interface Rest {
  readonly whole: Fields;
  readonly rest: Fields;
  readonly apiVersion: string;
}

/** What is left of an object together with what managers own of it, in the version of the first set. */
function withOwned(versions: Versions, start: Rest, sets: ReadonlyMap<string, FieldSet>): Fields {
  let now = start;
  for (const [apiVersion, owned] of sets) {
    const type = versions.typeOf(apiVersion);
    if (!type) continue;
    const to = { from: now.apiVersion, to: apiVersion };
    const whole = versions.convert(now.whole, to);
    const wholeFields = withNamedFields(type, fieldSetOf(type, whole));
    const restFields = withNamedFields(type, fieldSetOf(type, versions.convert(now.rest, to)));
    const set = difference(wholeFields, union(restFields, withNamedFields(type, owned)));
    now = { whole, rest: removeItems(type, whole, { set }) as Fields, apiVersion };
  }
  return versions.convert(now.rest, { from: now.apiVersion, to: start.apiVersion });
}

/** The set with each declared field on the way to its members; neither items of lists nor other map entries. */
function withNamedFields(type: MergeType, set: FieldSet): FieldSet {
  return withChildren(set, (child, element) => {
    const inner = innerType(type, element);
    const named = inner ? withNamedFields(inner, child) : child;
    return withSelf(named, named.isMember || isDeclared(type, element));
  });
}

function isDeclared({ map }: MergeType, element: string): boolean {
  return element.startsWith("f:") && map?.fields.has(element.slice(2)) === true;
}
