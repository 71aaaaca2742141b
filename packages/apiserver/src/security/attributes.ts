import type { HttpRequest } from "@capstan/env";
import { asksToWatch, splitUrl } from "../request-url.ts";

/** An authenticated user. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** Further facts, such as the pod that a token was issued for. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server itself. */
export const SERVER: User = { name: "system:apiserver", groups: ["system:masters"] };

/** The sender of a request, and how to identify other users by their tokens. */
export interface Caller {
  readonly user: User;
  /** The user of a bearer token. */
  userOfToken(token: string): User | undefined;
}

/** An action on resources. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural of the kind, with `/subresource` if there is one. */
  readonly resource: string;
  /** Empty for cluster-scoped resources and for all namespaces at once. */
  readonly namespace: string;
  readonly name: string;
}

/** An action on a path outside the resources, such as `/version`. */
export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** What an authorizer decides about. */
export type Attributes = ResourceAttributes | PathAttributes;

const VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
  GET: "get",
  HEAD: "get",
};

/**
 * Derives the attributes of a request, by the same rules as kube-apiserver: they must not depend on which kinds are
 * served, or a missing kind would bypass a denial.
 */
export function attributesOf({ method, path }: Pick<HttpRequest, "method" | "path">): Attributes {
  const { path: route, search } = splitUrl(path);
  const segments = decoded(route)
    .split("/")
    .filter((segment) => segment !== "");
  const resource = resourceSegments(segments);
  if (!resource) return { verb: method.toLowerCase(), path: route };
  const query = new URLSearchParams(search);
  const { rest, ...names } = resource;
  const where = inNamespace(rest);
  const verb = verbOf(method, where.name, query);
  // A user who may list one object by name may also send a list that selects that name.
  const name = where.name === "" ? selectedName(verb, query) : where.name;
  return { verb, ...names, ...where, name };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly rest: readonly string[];
}

function resourceSegments([root, ...segments]: readonly string[]): GroupVersion | undefined {
  if (root === "api" && segments.length > 1)
    return { group: "", version: segments[0] ?? "", rest: segments.slice(1) };
  if (root === "apis" && segments.length > 2) {
    return { group: segments[0] ?? "", version: segments[1] ?? "", rest: segments.slice(2) };
  }
  return undefined;
}

type Place = Pick<ResourceAttributes, "namespace" | "resource" | "name">;

function inNamespace(segments: readonly string[]): Place {
  const [first, namespace, ...inside] = segments;
  if (first !== "namespaces" || namespace === undefined) return place("", segments);
  return place(namespace, isAboutNamespace(inside) ? segments : inside);
}

/** `namespaces/NAME` alone and its own subresources refer to the Namespace object, not to its contents. */
function isAboutNamespace([subresource, ...more]: readonly string[]): boolean {
  return (
    more.length === 0 && (subresource === undefined || subresource === "status" || subresource === "finalize")
  );
}

function place(namespace: string, [plural = "", name = "", subresource = ""]: readonly string[]): Place {
  return { namespace, resource: subresource === "" ? plural : `${plural}/${subresource}`, name };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  const verb = VERBS[method.toUpperCase()] ?? method.toLowerCase();
  if (name !== "") return verb;
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  return asksToWatch(query) ? "watch" : "list";
}

const NAME_SELECTOR = /^metadata\.name==?([^=!,]+)$/;

function selectedName(verb: string, query: URLSearchParams): string {
  if (!["list", "watch", "deletecollection"].includes(verb)) return "";
  return NAME_SELECTOR.exec(query.get("fieldSelector") ?? "")?.[1] ?? "";
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // An invalid escape names nothing that exists; the router refuses it with its own message.
    return path;
  }
}
