import {
  type DocumentedKind,
  type GroupVersionKind,
  groupVersionKind,
  groupVersionPath,
} from "./documented-kind.ts";
import { SHARED, schemaName } from "./schemas.ts";

/** A request of a client, in a form from which both versions of OpenAPI are generated. */
export interface Operation {
  readonly path: string;
  readonly method: "get" | "put" | "post" | "delete" | "patch";
  /** Kubernetes' name of the action. */
  readonly action: string;
  readonly id: string;
  readonly description: string;
  readonly kind: GroupVersionKind;
  /** Custom kinds have no strategic merge; kubectl checks this before it sends one. */
  readonly isCustom: boolean;
  readonly query: readonly QueryParameter[];
  /** The names of the schemas of the body and of the answer. */
  readonly body?: string;
  readonly answer: string;
}

/** A parameter of a request. */
export interface QueryParameter {
  readonly name: string;
  readonly type: "string" | "boolean" | "integer";
  readonly description: string;
}

const query = (name: string, type: QueryParameter["type"], description: string): QueryParameter => ({
  name,
  type,
  description,
});

const WRITE: readonly QueryParameter[] = [
  query("dryRun", "string", "With All, everything is done except the write."),
  query("fieldManager", "string", "Who writes."),
  query("fieldValidation", "string", "What to do about unknown or repeated fields: Ignore, Warn or Strict."),
];
const PATCH = [...WRITE, query("force", "boolean", "Take over fields of other managers when applying.")];
const DELETE: readonly QueryParameter[] = [
  query("dryRun", "string", "With All, everything is done except the delete."),
  query("gracePeriodSeconds", "integer", "How long the object may take to shut down."),
  query("propagationPolicy", "string", "How dependents are deleted: Orphan, Background or Foreground."),
];
const LIST: readonly QueryParameter[] = [
  query("labelSelector", "string", "Only objects with these labels."),
  query("fieldSelector", "string", "Only objects with these fields."),
  query("limit", "integer", "How many objects at most."),
  query("continue", "string", "The continue token of the previous page."),
  query("resourceVersion", "string", "Not older than this version."),
  query("resourceVersionMatch", "string", "What resourceVersion means: Exact or NotOlderThan."),
  query("timeoutSeconds", "integer", "How long at most."),
  query("watch", "boolean", "Watch for changes after the list."),
  query("allowWatchBookmarks", "boolean", "Send bookmarks with the current version of the watch."),
  query("sendInitialEvents", "boolean", "Begin the watch with the existing objects."),
];

interface VerbShape {
  readonly method: Operation["method"];
  readonly action: string;
  readonly words: string;
  readonly query: readonly QueryParameter[];
}

const ON_MANY: Readonly<Record<string, VerbShape>> = {
  list: { method: "get", action: "list", words: "List or watch objects of the kind", query: LIST },
  create: { method: "post", action: "post", words: "Create an object of the kind", query: WRITE },
  deletecollection: {
    method: "delete",
    action: "deletecollection",
    words: "Delete many objects of the kind",
    query: [...LIST, ...DELETE],
  },
};
const ON_ONE: Readonly<Record<string, VerbShape>> = {
  get: { method: "get", action: "get", words: "Read an object of the kind", query: [] },
  update: { method: "put", action: "put", words: "Replace an object of the kind", query: WRITE },
  patch: { method: "patch", action: "patch", words: "Change an object of the kind", query: PATCH },
  delete: { method: "delete", action: "delete", words: "Delete an object of the kind", query: DELETE },
};
const ON_PART: Readonly<Record<string, VerbShape>> = {
  get: { method: "get", action: "get", words: "Read the", query: [] },
  create: { method: "post", action: "post", words: "Send the", query: WRITE },
  update: { method: "put", action: "put", words: "Replace the", query: WRITE },
  patch: { method: "patch", action: "patch", words: "Change the", query: PATCH },
};

/** All operations on a kind. */
export function operationsOf(kind: DocumentedKind): Operation[] {
  const base = `/${groupVersionPath(kind)}`;
  const everywhere = `${base}/${kind.plural}`;
  const many = kind.namespaced ? `${base}/namespaces/{namespace}/${kind.plural}` : everywhere;
  const one = `${many}/{name}`;
  return [
    ...(kind.namespaced && kind.verbs.includes("list") ? [listEverywhere(kind, everywhere)] : []),
    ...kind.verbs.flatMap((verb) => shaped(ON_MANY[verb], (shape) => ofKind(kind, many, shape))),
    ...kind.verbs.flatMap((verb) => shaped(ON_ONE[verb], (shape) => ofKind(kind, one, shape))),
    ...kind.subresources.flatMap((part) =>
      part.verbs.flatMap((verb) =>
        shaped(ON_PART[verb], (shape) => ofPart(kind, { part, path: `${one}/${part.name}` }, shape)),
      ),
    ),
  ];
}

function shaped(shape: VerbShape | undefined, make: (shape: VerbShape) => Operation): Operation[] {
  return shape ? [make(shape)] : [];
}

function listEverywhere(kind: DocumentedKind, path: string): Operation {
  return {
    path,
    method: "get",
    action: "list",
    id: `list${identifier(kind)}${kind.kind}ForAllNamespaces`,
    description: `List or watch objects of the kind ${kind.kind} in all namespaces.`,
    kind: groupVersionKind(kind),
    isCustom: kind.schema !== undefined,
    query: LIST,
    answer: `${schemaName(kind)}List`,
  };
}

function ofKind(
  kind: DocumentedKind,
  path: string,
  { method, action, words, query: parameters }: VerbShape,
): Operation {
  const scope = kind.namespaced ? "Namespaced" : "";
  const body = bodyOf(method, schemaName(kind));
  return {
    path,
    method,
    action,
    id: `${action}${identifier(kind)}${scope}${kind.kind}`,
    description: `${words} ${kind.kind}.`,
    kind: groupVersionKind(kind),
    isCustom: kind.schema !== undefined,
    query: parameters,
    ...(body !== undefined && { body }),
    answer: answerOf(action, schemaName(kind)),
  };
}

function ofPart(
  kind: DocumentedKind,
  { part, path }: { part: DocumentedKind["subresources"][number]; path: string },
  { method, action, words, query: parameters }: VerbShape,
): Operation {
  const scope = kind.namespaced ? "Namespaced" : "";
  const body = bodyOf(method, schemaName(part));
  return {
    path,
    method,
    action,
    id: `${action}${identifier(kind)}${scope}${kind.kind}${capital(part.name)}`,
    description: `${words} ${part.name} of an object of the kind ${kind.kind}.`,
    kind: groupVersionKind(part),
    isCustom: kind.schema !== undefined,
    query: parameters,
    ...(body !== undefined && { body }),
    answer: schemaName(part),
  };
}

function bodyOf(method: Operation["method"], name: string): string | undefined {
  if (method === "get") return undefined;
  if (method === "patch") return SHARED.patch;
  return method === "delete" ? SHARED.deleteOptions : name;
}

function answerOf(action: string, name: string): string {
  if (action === "list") return `${name}List`;
  return action.startsWith("delete") ? SHARED.status : name;
}

function identifier({ group, version }: DocumentedKind): string {
  return [...(group === "" ? ["core"] : group.split(/[.-]/)), version].map(capital).join("");
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
