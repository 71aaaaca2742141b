import { type FieldSet, LEAF, withChildren } from "./field-set.ts";
import { innerType, type MergeType } from "./merge-type.ts";

const current = new WeakMap<FieldSet, MergeType>();

/** The set of a manager under the current schema: of a value that has become atomic, the manager owns the whole. */
export function underSchema(type: MergeType, set: FieldSet): FieldSet {
  if (current.get(set) === type) return set;
  const reconciled = reconcile(type, set);
  current.set(reconciled, type);
  return reconciled;
}

function reconcile(type: MergeType, set: FieldSet): FieldSet {
  if (set.children.size === 0 || isDeduced(type)) return set;
  if (type.map?.isAtomic || type.list?.relation === "atomic") return LEAF;
  return withChildren(set, (child, element) => {
    const inner = innerType(type, element);
    return inner ? reconcile(inner, child) : child;
  });
}

/** Without a declared form there is no schema that could have changed. */
function isDeduced({ scalar, list, map }: MergeType): boolean {
  return scalar !== undefined || (list !== undefined && map !== undefined);
}
