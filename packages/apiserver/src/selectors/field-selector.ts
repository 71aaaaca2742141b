import { badRequest } from "../http/status.ts";
import type { Resource } from "../registry/registry.ts";
import type { StoredObject } from "../storage/storage.ts";

interface Requirement {
  readonly path: readonly string[];
  readonly value: string;
  readonly equals: boolean;
}

/** Decides whether an object is selected. */
export type Matcher = (object: StoredObject) => boolean;

/**
 * Parses a field selector such as `spec.nodeName=n1,status.phase!=Failed`. Only some fields of each kind are supported;
 * others are a bad request, because ignoring one would select too much.
 */
export function parseFieldSelector(resource: Resource, text: string): Matcher {
  const requirements = splitTerms(text).map((term) => parseTerm(resource, term));
  return (object) =>
    requirements.every(({ path, value, equals }) => (fieldText(object, path) === value) === equals);
}

function parseTerm(resource: Resource, term: string): Requirement {
  const parts = /^(?<field>[^=!]*)(?<operator>!=|==|=)(?<value>.*)$/s.exec(term)?.groups;
  const { field, operator, value } = parts ?? {};
  if (field === undefined || value === undefined) {
    throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  }
  if (!isSelectable(resource, field)) throw badRequest(notSelectable(resource, field));
  return {
    path: storedField(resource, field).split("."),
    value: value.replaceAll(/\\([\\,=])/g, "$1"),
    equals: operator !== "!=",
  };
}

const EVENT_FIELDS: Readonly<Record<string, string>> = {
  regarding: "involvedObject",
  reportingController: "reportingComponent",
};

/** Events are stored in the form of the core group; the other group has other names for some fields. */
function storedField({ kind }: Resource, field: string): string {
  if (kind.group !== "events.k8s.io") return field;
  const [first = "", ...rest] = field.split(".");
  return [EVENT_FIELDS[first] ?? first, ...rest].join(".");
}

/** kube-apiserver has another message for kinds without selectable fields of their own. */
function notSelectable({ custom, strategy }: Resource, field: string): string {
  return custom || strategy.selectableFields.length > 0
    ? `field label not supported: ${field}`
    : `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

function isSelectable({ kind, strategy }: Resource, field: string): boolean {
  if (field === "metadata.name") return true;
  if (field === "metadata.namespace") return kind.namespaced;
  return strategy.selectableFields.includes(field);
}

/** Commas separate terms, unless a backslash makes them part of a value. */
function splitTerms(text: string): string[] {
  return (text.match(/(?:\\.|[^,\\])+/gs) ?? []).filter((term) => term !== "");
}

/** A field as text: a selector compares what JSON would print, and a missing field is empty. */
function fieldText(object: StoredObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const part of path) value = (value as Record<string, unknown> | undefined)?.[part];
  if (value === undefined || value === null) return path.at(-1) === "unschedulable" ? "false" : "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
