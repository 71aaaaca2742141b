import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  union,
  withChildren,
  withSelf,
} from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { innerType, type MergeType } from "./merge-type.ts";
import { removeItems } from "./remove.ts";

/** What pruning works with. */
interface Pruning {
  readonly type: MergeType;
  readonly merged: unknown;
  /** What the manager applied last. */
  readonly last: FieldSet;
  /** What all managers own now, the new set of the applying one included. */
  readonly owned: FieldSet;
}

/**
 * Removes what the manager applied last and no manager owns now. An item of a list goes unless the item itself has an
 * owner; a struct goes, with its unowned content, when none of its fields has one.
 */
export function prune({ type, merged, last, owned }: Pruning): unknown {
  if (isEmptySet(last)) return merged;
  const lastFields = withNamedFields(type, last);
  const mergedFields = withNamedFields(type, fieldSetOf(type, merged));
  const rest = removeItems(type, merged, { set: lastFields });
  const restFields = withNamedFields(type, fieldSetOf(type, rest));
  const kept = removeItems(type, merged, {
    set: difference(mergedFields, union(restFields, withNamedFields(type, owned))),
  });
  const keptFields = withNamedFields(type, fieldSetOf(type, kept));
  // What the manager never applied stays. kube-apiserver leaves a null in place of an emptied container, and then
  // refuses it.
  return removeItems(type, merged, {
    set: intersection(difference(mergedFields, keptFields), lastFields),
    owned,
  });
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
