import type { HttpRequest } from "@capstan/env";
import type { Target } from "../registry/context.ts";
import type { Registry, Resource } from "../registry/registry.ts";
import { goQuote } from "../schema/go-text.ts";
import {
  type ApiError,
  badRequest,
  methodNotAllowed,
  noSuchResource,
  notFound,
  verbNotSupported,
} from "./status.ts";
import { asksToWatch, splitUrl } from "../request-url.ts";

/** The verb of a request, in Kubernetes' terms. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A parsed request. */
export interface Route {
  readonly verb: Verb;
  readonly target: Target;
  readonly query: URLSearchParams;
}

// The group, the version, the namespace, the plural, the name and the subresource.
const PATH =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?$/;

// `/api/v1/namespaces/NAME` and its subresources look like a path inside the namespace; these names distinguish them.
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(["status", "finalize"]);

/** Parses a request; undefined if its path belongs to no API that is served here. */
export function routeRequest(registry: Registry, request: HttpRequest): Route | undefined {
  const { path, search } = splitUrl(request.path);
  const parts = pathParts(decoded(path));
  const resource = parts && registry.find(parts.group, parts.version, parts.plural);
  if (!resource) return unknownPath(registry, path);
  checkName(parts.name);
  const { namespace, name, subresource } = parts;
  const target = { resource, namespace, name, subresource };
  if (!isPlace(target)) return notServed(target);
  const query = new URLSearchParams(search);
  const verb = verbOf(request.method.toUpperCase(), target, query);
  if (!verb || !isAllowed(verb, target)) {
    if (resource.custom && subresource === "" && name === "") return undefined;
    throw refusal(target, request.method.toUpperCase());
  }
  return { verb, target, query };
}

/** A path below one of Kubernetes' own groups gets an error of the API; any other path is a plain 404 page. */
function unknownPath(registry: Registry, path: string): undefined {
  const names = /^\/(?:api|apis\/(?<group>[^/]+))\/[^/]+\/./.exec(path)?.groups;
  if (names && registry.isBuiltInGroup(names["group"] ?? "")) throw noSuchResource();
}

/**
 * For a custom kind the definition decides first: a path of the wrong scope is a plain 404, and a missing subresource
 * is not found.
 */
function notServed(target: Target): undefined {
  const { resource, name } = target;
  if (!resource.custom) throw noSuchResource();
  if (isPlace({ ...target, subresource: "" })) throw notFound(resource.kind, name);
}

/** Whether objects of the kind can be at this path. */
function isPlace({ resource: { kind }, namespace, name, subresource }: Target): boolean {
  if (subresource !== "" && !kind.subresources.includes(subresource)) return false;
  if (!kind.namespaced) return namespace === "";
  return namespace !== "" || name === "";
}

interface Parts {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
}

function pathParts(path: string): Parts | undefined {
  const found = PATH.exec(path);
  if (!found) return undefined;
  const [, group = "", version = "", namespace = "", plural = "", name = "", subresource = ""] = found;
  const parts: Parts = { group, version, namespace, plural, name, subresource };
  return isNamespaceItself(parts)
    ? { ...parts, namespace: "", plural: "namespaces", name: namespace, subresource: plural }
    : parts;
}

function isNamespaceItself({ group, version, namespace, plural, name }: Parts): boolean {
  const isCore = group === "" && version === "v1";
  return isCore && namespace !== "" && name === "" && NAMESPACE_SUBRESOURCES.has(plural);
}

/** kube-apiserver has another message if a CRD serves the kind. */
function refusal({ resource, subresource }: Target, method: string): ApiError {
  const verb = { DELETE: "delete", POST: "create" }[method];
  if (!resource.custom || subresource === "" || verb === undefined) return methodNotAllowed();
  return verbNotSupported(resource.kind, verb);
}

// Subresources that accept a create.
const CREATED_SUBRESOURCES: ReadonlySet<string> = new Set(["binding", "eviction", "token"]);

const VERBS_OF_ONE: Readonly<Record<string, Verb>> = {
  GET: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const VERBS_OF_MANY: Readonly<Record<string, Verb>> = {
  GET: "list",
  POST: "create",
  DELETE: "deletecollection",
};

function verbOf(method: string, { name, subresource }: Target, query: URLSearchParams): Verb | undefined {
  if (CREATED_SUBRESOURCES.has(subresource)) return method === "POST" ? "create" : undefined;
  const verb = (name === "" ? VERBS_OF_MANY : VERBS_OF_ONE)[method];
  if (verb === "list" && asksToWatch(query)) return "watch";
  return verb === "delete" && subresource !== "" ? undefined : verb;
}

/** Creates and collection deletes need a namespace, and namespaces are deleted one by one. */
function isAllowed(verb: Verb, { resource, namespace, subresource }: Target): boolean {
  if (subresource === "finalize") return verb === "update";
  if (resource.strategy.onlyAnswered)
    return verb === "create" && (!resource.kind.namespaced || namespace !== "");
  if (verb !== "create" && verb !== "deletecollection") return true;
  if (verb === "deletecollection" && isNamespace(resource)) return false;
  return !resource.kind.namespaced || namespace !== "";
}

function isNamespace({ kind }: Resource): boolean {
  return kind.group === "" && kind.kind === "Namespace";
}

/** The path with decoded escapes, before it is split: an escaped slash is a slash, as everywhere in Go. */
function decoded(path: string): string {
  const plain = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
  if (!plain.includes("%")) return plain;
  try {
    return decodeURIComponent(plain);
  } catch {
    throw badRequest(
      `the path has a broken escape in ${JSON.stringify(path)}; a percent sign is written %25`,
    );
  }
}

/** Refuses names that have another meaning in a path. */
function checkName(name: string): void {
  if (name === "." || name === "..")
    throw badRequest(`Name parameter invalid: "${name}": may not be '${name}'`);
  if (name.includes("%")) throw badRequest(`Name parameter invalid: ${goQuote(name)}: may not contain '%'`);
}
