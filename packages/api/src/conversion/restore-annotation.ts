/**
 * The annotation by which an object of an older version carries what only the newer one can express: Cluster API's own,
 * with the same content, but only as much of it as a conversion reads.
 */
import { isJsonObject, type JsonObject } from "../values/json-object.ts";
import { type Fields, isEmptyObject, putField, takeField } from "./field-path.ts";

/** The annotation of Cluster API. */
export const CONVERSION_DATA_ANNOTATION = "cluster.x-k8s.io/conversion-data";

const PLACE = ["metadata", "annotations", CONVERSION_DATA_ANNOTATION];

// Kubernetes' limit for all annotations of an object: a longer text cannot come from a server.
const LONGEST_DATA = 256 * 1024;

/** Removes the annotation and returns its content. A text that no conversion wrote is ignored, with a warning. */
export function takeCarried(object: Fields, warnings: string[]): JsonObject {
  const text = takeField(object, PLACE);
  if (text === undefined) return {};
  const data = typeof text === "string" && text.length <= LONGEST_DATA ? parsed(text) : undefined;
  if (isJsonObject(data)) return data;
  warnings.push(
    `metadata.annotations[${CONVERSION_DATA_ANNOTATION}]: is not the JSON of an object, or too long, and was ignored`,
  );
  return {};
}

/** Sets the annotation if there is anything to carry. */
export function putCarried(object: Fields, carried: JsonObject): void {
  takeField(object, PLACE);
  if (!isEmptyObject(carried)) putField(object, PLACE, JSON.stringify(carried));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
