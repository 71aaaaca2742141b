import type { HttpRequest } from "@capstan/env";

/** A request on its way, as people speak of it: "the 2nd PUT virtualMachineScaleSets by azuremachinepool". */
export interface Call {
  /** The process that asks: `manager-1`. */
  readonly process: string;
  /** The controller that asks, or the process when no controller does. */
  readonly by: string;
  /** The server: `management`, `azure`, or the name of a workload cluster. */
  readonly server: string;
  /** The language that the server speaks. */
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
  /** Takes a Node out of the scheduler's hands. */
  readonly isCordon?: boolean;
  /** The size that a scale set is to have. */
  readonly capacity?: number;
  /** The instances of a scale set that something is done to. */
  readonly instances?: readonly string[];
  /** Where a request to Azure goes: an id, and whatever follows it. */
  readonly path?: string;
  /** The tags that a request to Azure carries. */
  readonly tags?: Readonly<Record<string, unknown>>;
}

/** Who sends a request, and where to. */
export type Way = Pick<Call, "process" | "by" | "server">;

/** Who a call is from, as the trace names it. */
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
export function kubeCall({ method, path, body }: HttpRequest, { process, by, server }: Way): Call {
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
    // A review is a question although it is created.
    isWrite: method !== "GET" && !resource.endsWith("reviews"),
    isCordon: resource === "nodes" && isCordon(body),
  };
}

/** Takes apart `/api/v1/…` and `/apis/GROUP/VERSION/…`. */
function placeOf(
  location: string,
): Pick<Call, "resource" | "name" | "namespace" | "subresource"> & { readonly group: string } {
  const written = location.split("/");
  // Hardly any path has something to decode, and every call comes here.
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
  // A login changes nothing although it is posted.
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
  // Where tags are all that is written, they are properties.
  const tags = rest.tags ?? properties?.tags;
  return {
    ...(sku?.capacity !== undefined && { capacity: sku.capacity }),
    ...(instanceIds && { instances: instanceIds }),
    ...(tags && { tags }),
  };
}

/** Azure's libraries send text, and hands of users in a simulation a value. */
function jsonIn(body: unknown): unknown {
  if (typeof body !== "string") return body;
  try {
    return JSON.parse(body);
  } catch {
    // A form, as for a login.
    return undefined;
  }
}
