import type { StoredObject } from "./storage.ts";

/** The same object under another version. All but its two outer layers is shared, and frozen already. */
export function restamped(object: StoredObject, version: number): StoredObject {
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(version) });
  return Object.freeze({ ...object, metadata });
}
