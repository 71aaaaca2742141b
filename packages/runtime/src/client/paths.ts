import type { Kind } from "@capstan/api";

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
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

/** The address of one object or of one of its subresources. */
export function objectPath(kind: Kind, { name, namespace }: ObjectName, subresource?: string): string {
  if (kind.namespaced && namespace === undefined) {
    throw new TypeError(`${kind.kind} ${name}: a namespaced kind needs a namespace`);
  }
  const path = `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
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
