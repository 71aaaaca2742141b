/** How objects move from kubectl's client-side apply, which keeps its last configuration in an annotation. */
import { deepEqual } from "@capstan/api";
import { parseJson } from "../json.ts";
import { compare } from "./compare.ts";
import { difference, EMPTY, type FieldSet, union } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { isMap, type MergeType } from "./merge-type.ts";

/** The annotation of `kubectl apply`. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The only manager whose applies take over from client-side apply. */
export const KUBECTL = "kubectl";

type Fields = Readonly<Record<string, unknown>>;

/** The annotation of an object; undefined if it has none. */
export function lastAppliedOf({ metadata }: Fields): string | undefined {
  const annotations = isMap(metadata) ? metadata["annotations"] : undefined;
  const text = isMap(annotations) ? annotations[LAST_APPLIED] : undefined;
  return typeof text === "string" ? text : undefined;
}

/**
 * The fields that client-side apply has set and that still have its values: the same user may change them now. Empty if
 * the annotation is not an object of this version.
 */
export function fieldsOfLastApplied(type: MergeType, live: Fields, apiVersion: string): FieldSet {
  const last = parsed(lastAppliedOf(live) ?? "");
  if (!isMap(last) || last["apiVersion"] !== apiVersion) return EMPTY;
  const { added, modified } = compare(type, live, last);
  return difference(fieldSetOf(type, last), union(added, modified));
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

// As for all annotations of an object together.
const LONGEST_BYTES = 256 * 1024;

/** The object with the annotation rewritten; without it if the annotations would be too long. */
export function withLastApplied(object: Fields, text: string): Fields {
  const metadata = object["metadata"] as Fields;
  const { [LAST_APPLIED]: _, ...others } = metadata["annotations"] as Readonly<Record<string, string>>;
  const entries = Object.entries({ ...others, [LAST_APPLIED]: text });
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  const annotations = bytes > LONGEST_BYTES ? others : Object.fromEntries(entries);
  return deepEqual(annotations, metadata["annotations"])
    ? object
    : { ...object, metadata: { ...metadata, annotations } };
}
