import { below, type FieldSet } from "./field-set.ts";
import { entryType, formOf, isMap, type ListType, type MapType, type MergeType } from "./merge-type.ts";
import { fieldElement } from "./path-element.ts";

// Around a name in JSON: quotes, colon and comma in the object, and `"f:":{},` among the fields of the manager.
const AROUND_A_NAME = 4 + 8;

/**
 * How many bytes an object has at least after the apply of a configuration: its values, and the names of its fields twice,
 * because the manager owns them. A few steps for each field, many fewer than the apply takes.
 */
export function leastBytes(type: MergeType, config: unknown, reset: FieldSet): number {
  if (typeof config === "string") return config.length;
  const { list, map } = formOf(type, config);
  if (Array.isArray(config)) return list ? listBytes(list, config, reset) : 1;
  return map && isMap(config) ? mapBytes(map, config, reset) : 1;
}

function mapBytes(type: MapType, map: Readonly<Record<string, unknown>>, reset: FieldSet): number {
  // What is replaced as a whole causes no work for each field, so it need not be counted.
  if (type.isAtomic) return 1;
  let sum = 0;
  for (const name of Object.keys(map)) {
    const value = map[name];
    // A null may be dropped, and what this endpoint does not write is.
    if (value === undefined || value === null) continue;
    const inner = below(reset, fieldElement(name));
    if (inner.isMember) continue;
    sum += 2 * name.length + AROUND_A_NAME + leastBytes(entryType(type, name), value, inner);
  }
  return sum;
}

function listBytes({ relation, item: type }: ListType, list: readonly unknown[], reset: FieldSet): number {
  if (relation === "atomic") return 1;
  return list.reduce<number>((sum, item) => sum + 1 + leastBytes(type, item, reset), 0);
}
