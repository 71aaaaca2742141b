import type { Kind } from "@capstan/api";
import { terminal } from "../failure.ts";

/** Names one object; the namespace is left out for cluster-scoped kinds. */
export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The address of a collection: all namespaces unless one is given. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return namespace === undefined || !kind.namespaced
    ? `${root}/${kind.plural}`
    : `${root}/namespaces/${segment("Namespace", namespace)}/${kind.plural}`;
}

/**
 * A name as a part of an address. Names come from specs of users: a server that decodes the address before it cleans it would
 * take `../../other/secrets/x` for the address of another object.
 */
function segment(kind: string, name: string): string {
  if (name === "" || name === "." || name === ".." || /[/%]/.test(name))
    throw terminal(
      "InvalidName",
      `${JSON.stringify(name)} is not the name of a ${kind}: a name is not empty, is not "." or "..", and has no "/" or "%"`,
    );
  return encodeURIComponent(name);
}

/** The address of one object or of one of its subresources. */
export function objectPath(kind: Kind, { name, namespace }: ObjectName, subresource?: string): string {
  if (kind.namespaced && namespace === undefined) {
    throw new TypeError(`${kind.kind} ${name}: a namespaced kind needs a namespace`);
  }
  const path = `${collectionPath(kind, namespace)}/${segment(kind.kind, name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Appends the parameters that are set. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}
