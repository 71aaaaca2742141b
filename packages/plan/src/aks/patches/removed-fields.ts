/** Fields that patches remove from what Capstan sends, and that another client keeps on the resource. Pure. */
import {
  type AsoObject,
  AsoPatchError,
  type FieldPath,
  type Frozen,
  isJsonObject,
  managersOf,
  parseAsoPatch,
  parsePointer,
  valueAt,
} from "@capstan/api";

/** A field that a patch removes, and the clients that keep its value. */
interface KeptField {
  readonly path: string;
  readonly owners: readonly string[];
}

/** The fields that patches remove and the object still has, with their owners. */
export function fieldsKeptByOthers(
  object: Frozen<AsoObject>,
  patches: readonly string[],
): readonly KeptField[] {
  return patches
    .flatMap(removedPaths)
    .filter((path) => valueAt(object, path) !== undefined)
    .map((path) => ({ path: path.join("."), owners: managersOf(object, path) }));
}

// The field manager of the controllers.
const OWN_MANAGER = "capstan";

/** Whether the field goes when the controllers leave it out: no other client keeps its value. */
export function isOnlyOurs(object: Frozen<AsoObject>, path: string): boolean {
  const owners = managersOf(object, path.split("."));
  return owners.length > 0 && owners.every((owner) => owner === OWN_MANAGER);
}

function removedPaths(text: string): readonly FieldPath[] {
  try {
    const patch = parseAsoPatch(text);
    if (patch.type === "merge") return nullsIn(patch.body, []);
    return patch.body.flatMap((operation) =>
      operation.op === "remove" ? [parsePointer(operation.path) ?? []] : [],
    );
  } catch (error) {
    if (error instanceof AsoPatchError) return [];
    throw error;
  }
}

function nullsIn(value: unknown, path: FieldPath): readonly FieldPath[] {
  if (value === null) return [path];
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, field]) => nullsIn(field, [...path, name]))
    : [];
}
