import type { ObjectKey } from "./storage.ts";

/** A key as text, for maps and queues. No part of a name has a line break. */
export function keyText({ resource, namespace, name }: ObjectKey): string {
  return `${resource}\n${namespace}\n${name}`;
}

/** Parses the text of `keyText`. */
export function keyFromText(text: string): ObjectKey {
  const [resource = "", namespace = "", name = ""] = text.split("\n");
  return { resource, namespace, name };
}
