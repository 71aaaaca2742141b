/** Fields that patches remove from what Capstan sends, and that another client keeps on the resource. Pure. */
import {
  type AsoObject,
  AsoPatchError,
  type Frozen,
  isJsonObject,
  parseAsoPatch,
  parsePointer,
} from "@capstan/api";

/** A field that a patch removes, and the clients that keep its value. */
interface KeptField {
  readonly path: string;
  readonly owners: readonly string[];
}

type Path = readonly string[];

/** The fields that patches remove and the object still has, with their owners. */
export function fieldsKeptByOthers(
  object: Frozen<AsoObject>,
  patches: readonly string[],
): readonly KeptField[] {
  return patches
    .flatMap(removedPaths)
    .filter((path) => valueAt(object, path) !== undefined)
    .map((path) => ({ path: path.join("."), owners: ownersOf(object, path) }));
}

// The field manager of the controllers.
const OWN_MANAGER = "capstan";

/** Whether the field goes when the controllers leave it out: no other client keeps its value. */
export function isOnlyOurs(object: Frozen<AsoObject>, path: string): boolean {
  const owners = ownersOf(object, path.split("."));
  return owners.length > 0 && owners.every((owner) => owner === OWN_MANAGER);
}

function removedPaths(text: string): readonly Path[] {
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

function nullsIn(value: unknown, path: Path): readonly Path[] {
  if (value === null) return [path];
  return isJsonObject(value)
    ? Object.entries(value).flatMap(([name, field]) => nullsIn(field, [...path, name]))
    : [];
}

function valueAt(object: unknown, path: Path): unknown {
  let value = object;
  for (const name of path)
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

/** The managers whose fields include the path; Azure Service Operator's defaults have none. */
function ownersOf({ metadata }: Frozen<AsoObject>, path: Path): readonly string[] {
  const entries: readonly unknown[] = metadata.managedFields ?? [];
  return entries.flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry["manager"] !== "string") return [];
    return valueAt(
      entry["fieldsV1"],
      path.map((name) => `f:${name}`),
    ) === undefined
      ? []
      : [entry["manager"]];
  });
}
