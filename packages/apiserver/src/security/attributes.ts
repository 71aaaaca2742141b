import type { HttpRequest } from "@capstan/env";

/** Somebody who has proved who they are. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  /** What else is known, such as the pod that a token was made for. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server itself, when it acts in its own name. */
export const SERVER: User = { name: "system:apiserver", groups: ["system:masters"] };

/** Who sends a request, and who else they could be asking about. */
export interface Caller {
  readonly user: User;
  /** The user that a bearer token stands for. */
  userOfToken(token: string): User | undefined;
}

/** What somebody wants to do to resources. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural of the kind, with `/subresource` where there is one. */
  readonly resource: string;
  /** Empty for cluster-scoped resources and for all namespaces at once. */
  readonly namespace: string;
  readonly name: string;
}

/** What somebody wants to do to a path outside the resources, such as `/version`. */
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
 * Reads from a request what it wants, by the same rules as kube-apiserver: they must not depend on which
 * kinds are served, or a missing kind would be a way around a denial.
 */
export function attributesOf({ method, path }: Pick<HttpRequest, "method" | "path">): Attributes {
  const [route = "", search = ""] = path.split("?", 2);
  const segments = decoded(route)
    .split("/")
    .filter((segment) => segment !== "");
  const resource = resourceSegments(segments);
  if (!resource) return { verb: method.toLowerCase(), path: route };
  const query = new URLSearchParams(search);
  const { rest, ...names } = resource;
  const where = inNamespace(rest);
  const verb = verbOf(method, where.name, query);
  // Who may list one object by name may also ask for the list of that one.
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

/** `namespaces/NAME` alone and its own subresources are about the Namespace object, not about what is in it. */
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
  const watch = query.get("watch");
  return watch !== null && watch !== "false" && watch !== "0" ? "watch" : "list";
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
    // A broken escape names nothing that exists; the router will refuse it with its own words.
    return path;
  }
}
