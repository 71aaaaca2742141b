import type { HttpRequest } from "@capstan/env";

/** A request in flight, as a trigger names it: "the 2nd PUT virtualMachineScaleSets by azuremachinepool". */
export interface Call {
  /** The sending process: `manager-1`. */
  readonly process: string;
  /** The sending controller, or the process when no controller sends it. */
  readonly by: string;
  /** The server: `management`, `azure`, or the name of a workload cluster. */
  readonly server: string;
  /** The API of the server. */
  readonly api: "kube" | "arm" | "other";
  /** `create`, `patch` … for Kubernetes; the method, or LIST, for Azure. */
  readonly verb: string;
  /** The API group of a Kubernetes resource; empty for the core group. */
  readonly group?: string;
  /** `machines`, `nodes`, or `virtualMachineScaleSets/delete`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
  readonly isWrite: boolean;
  /** Whether it is a server-side apply, which creates the object if it does not exist. */
  readonly isApply?: boolean;
  /** Whether it cordons a Node. */
  readonly isCordon?: boolean;
  /** The desired capacity of a scale set. */
  readonly capacity?: number;
  /** The instances of a scale set that it acts on. */
  readonly instances?: readonly string[];
  /** The path of a request to Azure: an id, and perhaps an action. */
  readonly path?: string;
  /** The tags in a request to Azure. */
  readonly tags?: Readonly<Record<string, unknown>>;
}

/** The sender and the receiver of a request. */
export type Way = Pick<Call, "process" | "by" | "server">;

/** The actor of a call, as in the trace. */
export function actorOf({ process, by }: Way): string {
  return process === by ? process : `${process}/${by}`;
}

const KUBE_VERBS: Readonly<Record<string, string>> = {
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** A request to a Kubernetes API. */
export function kubeCall({ method, path, body, headers }: HttpRequest, { process, by, server }: Way): Call {
  const position = path.indexOf("?");
  const { group, resource, namespace, name, subresource } = placeOf(
    position < 0 ? path : path.slice(0, position),
  );
  return {
    process,
    by,
    server,
    api: "kube",
    verb: KUBE_VERBS[method] ?? readVerb(name, position < 0 ? "" : path.slice(position)),
    group,
    resource,
    namespace,
    name: name === "" ? nameIn(body) : name,
    subresource,
    // A review is a read although it is created.
    isWrite: method !== "GET" && !resource.endsWith("reviews"),
    isApply: headers["content-type"] === "application/apply-patch+yaml",
    isCordon: resource === "nodes" && isCordon(body),
  };
}

/** Parses `/api/v1/…` and `/apis/GROUP/VERSION/…`. */
function placeOf(
  location: string,
): Pick<Call, "resource" | "name" | "namespace" | "subresource"> & { readonly group: string } {
  const written = location.split("/");
  // Hardly any path needs decoding, and every call passes here.
  const parts = location.includes("%") ? written.map(decodeURIComponent) : written;
  const first = parts[1] === "api" ? 3 : 4;
  const isNamespaced = parts[first] === "namespaces" && parts.length > first + 2;
  const at = isNamespaced ? first + 2 : first;
  return {
    group: parts[1] === "api" ? "" : (parts[2] ?? ""),
    resource: parts[at] ?? "",
    namespace: isNamespaced ? parts[first + 1] : undefined,
    name: parts[at + 1] ?? "",
    subresource: parts[at + 2],
  };
}

function readVerb(name: string, query: string): string {
  if (/[?&]watch=true(&|$)/.test(query)) return "watch";
  return name === "" ? "list" : "get";
}

function nameIn(body: unknown): string {
  const { name, generateName = "" } =
    (body as { metadata?: { name?: string; generateName?: string } } | undefined)?.metadata ?? {};
  return name ?? generateName;
}

function isCordon(body: unknown): boolean {
  return (body as { spec?: { unschedulable?: unknown } } | undefined)?.spec?.unschedulable === true;
}

/** A request to Azure Resource Manager. */
export function armCall({ method, path, body }: HttpRequest, way: Way): Call {
  const [location = ""] = path.split("?");
  const parts = location.split("/").slice(1);
  const provider = parts.findIndex((part) => part.toLowerCase() === "providers");
  // A login is a POST that changes nothing.
  const isWrite = method !== "GET" && method !== "HEAD" && parts[1] !== "oauth2";
  if (provider < 0) {
    const [, , resource = "subscriptions", name = ""] = parts;
    return { ...way, api: "arm", verb: method, resource, name, isWrite, path: location, ...detailsIn(body) };
  }
  const typed = parts.slice(provider + 2);
  const types = typed.filter((_, index) => index % 2 === 0);
  const names = typed.filter((_, index) => index % 2 === 1);
  const isList = types.length > names.length && method === "GET";
  return {
    ...way,
    api: "arm",
    verb: isList ? "LIST" : method,
    resource: types.join("/"),
    name: names.join("/"),
    isWrite,
    path: location,
    ...detailsIn(body),
  };
}

function detailsIn(body: unknown): Pick<Call, "capacity" | "instances" | "tags"> {
  const { sku, instanceIds, properties, ...rest } = (jsonIn(body) ?? {}) as {
    sku?: { capacity?: number };
    instanceIds?: readonly string[];
    tags?: Call["tags"];
    properties?: { tags?: Call["tags"] };
  };
  // A request that writes tags alone has them in its properties.
  const tags = rest.tags ?? properties?.tags;
  return {
    ...(sku?.capacity !== undefined && { capacity: sku.capacity }),
    ...(instanceIds && { instances: instanceIds }),
    ...(tags && { tags }),
  };
}

/** Azure's libraries send text; the user's client in a simulation sends a value. */
function jsonIn(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    // A form, as in a login.
    return undefined;
  }
}
