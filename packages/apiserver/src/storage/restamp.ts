import type { StoredObject } from "./storage.ts";

/** The same object under another version. It shares all but the two outer layers, which are frozen already. */
export function restamped(object: StoredObject, version: number): StoredObject {
  const metadata = Object.freeze({ ...object.metadata, resourceVersion: String(version) });
  return Object.freeze({ ...object, metadata });
}
