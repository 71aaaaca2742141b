import type { Frozen, Kind, KubernetesObject } from "@capstan/api";
import type { ByteBudget, Env, HttpRequest, Transport } from "@capstan/env";
import { type Failure, isNotFound, transient } from "../failure.ts";
import { connectionFailure, failureOf, statusFailure } from "./errors.ts";
import { collectionPath, type ObjectName, objectPath, withQuery } from "./paths.ts";

/** Which objects of a kind. */
export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** One page of a list; `continue` is absent on the last one. */
export interface ListPage<T> {
  readonly items: readonly Frozen<T>[];
  readonly resourceVersion: string;
  readonly continue?: string;
}

/** One change seen by a watch. A bookmark only has the current version. */
export interface WatchEvent<T> {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  readonly object: Frozen<T>;
}

/** The start and the timeout of a watch. */
export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/**
 * A patch with its type. `apply` is server-side apply: the body has every field that this client wants to own, and no
 * other; fields of the last apply that it leaves out are removed. Fields of other managers are a failure unless forced.
 */
export type Patch =
  | { readonly type: "merge"; readonly body: object }
  | { readonly type: "json"; readonly body: readonly object[] }
  | {
      readonly type: "apply";
      readonly body: object;
      readonly force?: boolean;
      /** The owner of the applied fields, if it is not that of the client's other writes. */
      readonly fieldManager?: string;
    };

/** Which part of an object a write goes to. */
export interface WriteOptions {
  readonly subresource?: string;
  readonly dryRun?: boolean;
  /** Refuses unknown and repeated fields, as kubectl asks for; otherwise the server drops them. */
  readonly isStrict?: boolean;
}

/** Preconditions of a delete, and the propagation to dependents. */
export interface DeleteOptions {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan";
  /** How long a pod may take to stop; 0 removes it from the API at once. */
  readonly gracePeriodSeconds?: number;
}

/**
 * A client of a Kubernetes API server, over the wire or in-process. Every call makes one request: nothing is retried here,
 * because the work queue decides when to retry.
 */
export interface Client {
  get<T extends KubernetesObject>(kind: Kind<T>, name: ObjectName): Promise<Frozen<T>>;
  /** Like `get`, with undefined for a missing object. */
  find<T extends KubernetesObject>(kind: Kind<T>, name: ObjectName): Promise<Frozen<T> | undefined>;
  page<T extends KubernetesObject>(kind: Kind<T>, options: ListOptions & PageOptions): Promise<ListPage<T>>;
  /** All objects, read page by page. */
  list<T extends KubernetesObject>(kind: Kind<T>, options?: ListOptions): Promise<readonly Frozen<T>[]>;
  watch<T extends KubernetesObject>(kind: Kind<T>, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Unsaved<T>,
    options?: WriteOptions,
  ): Promise<Frozen<T>>;
  update<T extends KubernetesObject>(
    kind: Kind<T>,
    object: Unsaved<T>,
    options?: WriteOptions,
  ): Promise<Frozen<T>>;
  patch<T extends KubernetesObject>(
    kind: Kind<T>,
    name: ObjectName,
    patch: Patch & WriteOptions,
  ): Promise<Frozen<T>>;
  /** Resolves when the server has accepted the deletion; finalizers may keep the object for a while. */
  delete<T extends KubernetesObject>(kind: Kind<T>, name: ObjectName, options?: DeleteOptions): Promise<void>;
}

/** A page of a list: its size, and the token of the page before. */
export interface PageOptions {
  readonly limit?: number;
  readonly continue?: string | undefined;
  /** Bytes that all pages of a list share; without it one page has those of one answer. */
  readonly answerBytes?: ByteBudget;
}

/** An object to write; the client fills in apiVersion and kind. */
export type Unsaved<T extends KubernetesObject> = Omit<T, "apiVersion" | "kind"> | Frozen<T>;

export interface ClientOptions {
  readonly transport: Transport;
  readonly env: Env;
  /** Owner of the written fields. */
  readonly fieldManager: string;
  /** The user agent, for audit logs and flow control; by default the field manager. */
  readonly userAgent?: string;
  /** How long a request may take, its answer included; 60 s without it. */
  readonly timeoutMs?: number;
  /** Aborts every request of the client. */
  readonly signal?: AbortSignal;
  /** Called for each answer: for rest_client_requests_total. */
  readonly onAnswer?: (method: string, status: number) => void;
}

// As in client-go's pager: a page of 500 objects has around 1.5 MB and takes well below a second.
const PAGE_SIZE = 500;
// No single request takes long on a healthy server; kube-apiserver itself gives up after 60 s.
const REQUEST_TIMEOUT_MS = 60_000;
// Objects have at most 1.5 MiB in etcd; the rest is for fields that the server adds, and for a page of objects.
const ANSWER_BYTES = 64 * 1024 * 1024;
// A list is kept in memory. Kubernetes supports 150,000 pods and 5,000 Nodes in a cluster; the limits are several times that.
// A server that pages on without an end must not exhaust the manager, which serves other clusters too.
const LIST_LIMITS = { bytes: 1024 * 1024 * 1024, items: 500_000, pages: 2_000 };

const PATCH_TYPES = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export function createClient(options: ClientOptions): Client {
  const send: Send = ({ contentType, ...request }) =>
    exchange(options, { ...request, headers: headersOf(options, contentType) });
  const read = (path: string, answerBytes?: ByteBudget): Promise<unknown> =>
    send({ method: "GET", path, ...(answerBytes && { answerBytes }) });

  const client: Client = {
    get: async (kind, name) => (await read(objectPath(kind, name))) as never,
    find: async (kind, name) => {
      try {
        return await client.get(kind, name);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    page: async <T extends KubernetesObject>(
      kind: Kind<T>,
      { namespace, answerBytes, ...query }: ListOptions & PageOptions,
    ) => {
      const path = withQuery(collectionPath(kind, namespace), query);
      const list = (await read(path, answerBytes)) as RawList<T>;
      const { resourceVersion, continue: next } = list.metadata;
      return { items: completed(kind, list.items), resourceVersion, ...(next ? { continue: next } : {}) };
    },
    list: async (kind, query = {}) => (await readPages(client, kind, query)).items,
    watch: (kind, watchOptions) => watchEvents(options, kind, watchOptions),
    create: (kind, object, write = {}) =>
      store(
        send,
        { method: "POST", path: creationPath(kind, nameOf(object), write) },
        { kind, object, write },
      ),
    update: (kind, object, write = {}) =>
      store(
        send,
        { method: "PUT", path: objectPath(kind, nameOf(object), write.subresource) },
        { kind, object, write },
      ),
    patch: async (kind, name, patch) => {
      const path = withQuery(objectPath(kind, name, patch.subresource), {
        fieldManager: (patch.type === "apply" ? patch.fieldManager : undefined) ?? options.fieldManager,
        force: patch.type === "apply" ? patch.force : undefined,
        ...modeOf(patch),
      });
      return (await send({
        method: "PATCH",
        path,
        body: patch.type === "apply" ? configurationOf(kind, name, patch.body) : patch.body,
        contentType: PATCH_TYPES[patch.type],
      })) as never;
    },
    delete: async (kind, name, { propagationPolicy, gracePeriodSeconds, ...preconditions } = {}) => {
      const body = {
        apiVersion: "v1",
        kind: "DeleteOptions",
        ...(propagationPolicy && { propagationPolicy }),
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        ...(Object.keys(preconditions).length > 0 && { preconditions }),
      };
      await send({ method: "DELETE", path: objectPath(kind, name), body, contentType: "application/json" });
    },
  };
  return client;
}

/** Reads a list page by page, within limits; all pages show the same version. */
export async function readPages<T extends KubernetesObject>(
  client: Pick<Client, "page">,
  kind: Kind<T>,
  query: ListOptions,
): Promise<ListPage<T>> {
  const items: Frozen<T>[] = [];
  const answerBytes = { remaining: LIST_LIMITS.bytes };
  let next: string | undefined;
  for (let pages = 1; pages <= LIST_LIMITS.pages; pages++) {
    const page = await client.page(kind, { ...query, limit: PAGE_SIZE, continue: next, answerBytes });
    for (const item of page.items) items.push(item);
    if (page.continue === undefined) return { items, resourceVersion: page.resourceVersion };
    if (page.continue === next) throw endlessList(kind, "the server gave the same continue token twice");
    if (items.length > LIST_LIMITS.items) throw endlessList(kind, `it has over ${LIST_LIMITS.items} objects`);
    next = page.continue;
  }
  throw endlessList(kind, `it has over ${LIST_LIMITS.pages} pages`);
}

function endlessList({ plural, group }: Kind, why: string): Failure {
  const kind = group === "" ? plural : `${plural}.${group}`;
  return transient("ListTooLong", `The list of ${kind} was given up: ${why}`);
}

interface RawList<T> {
  /** A server written in Go may send null for an empty list. */
  readonly items: readonly Frozen<T>[] | null;
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
}

/** Lists of built-in kinds omit apiVersion and kind in their items; all other code relies on them. */
function completed<T extends KubernetesObject>(
  { apiVersion, kind }: Kind<T>,
  items: readonly Frozen<T>[] | null,
): readonly Frozen<T>[] {
  return (items ?? []).map((item) =>
    (item.kind as string | undefined) === undefined ? { ...item, apiVersion, kind } : item,
  );
}

interface Write<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly object: Unsaved<T>;
  readonly write: WriteOptions;
}

/** Sends a request and resolves with the JSON of its answer. */
type Send = (request: Omit<HttpRequest, "headers"> & { readonly contentType?: string }) => Promise<unknown>;

/** How the server treats a write, as parameters of its address. */
function modeOf({ dryRun, isStrict }: WriteOptions): Readonly<Record<string, string | undefined>> {
  return { dryRun: dryRun ? "All" : undefined, fieldValidation: isStrict ? "Strict" : undefined };
}

async function store<T extends KubernetesObject>(
  send: Send,
  target: { method: string; path: string },
  { kind, object, write }: Write<T>,
): Promise<Frozen<T>> {
  const path = withQuery(target.path, modeOf(write));
  const body = { ...object, apiVersion: kind.apiVersion, kind: kind.kind };
  return (await send({ method: target.method, path, body, contentType: "application/json" })) as Frozen<T>;
}

/** An apply may create the object, so its body is complete. */
function configurationOf({ apiVersion, kind }: Kind, { name, namespace }: ObjectName, body: object): object {
  const { metadata } = body as { metadata?: object };
  return {
    ...body,
    apiVersion,
    kind,
    metadata: { ...metadata, name, ...(namespace !== undefined && { namespace }) },
  };
}

/** Objects are created in their collection, subresources such as an eviction at the object they belong to. */
function creationPath(kind: Kind, name: ObjectName, { subresource }: WriteOptions): string {
  return subresource === undefined
    ? collectionPath(kind, name.namespace)
    : objectPath(kind, name, subresource);
}

function nameOf<T extends KubernetesObject>(object: Unsaved<T>): ObjectName {
  return (object as Pick<KubernetesObject, "metadata">).metadata;
}

function headersOf(options: ClientOptions, contentType?: string): Record<string, string> {
  return {
    accept: "application/json",
    "user-agent": options.userAgent ?? options.fieldManager,
    ...(contentType !== undefined && { "content-type": contentType }),
  };
}

/** One request and its whole answer within the timeout; every error becomes a Failure. */
async function exchange(options: ClientOptions, request: HttpRequest): Promise<unknown> {
  const attempt = `${request.method} ${request.path.replace(/\?.*/, "")}`;
  const limit = new AbortController();
  const { timeoutMs = REQUEST_TIMEOUT_MS } = options;
  const timer = options.env.clock.timer(timeoutMs, () => {
    const message = `${attempt}: no answer within ${timeoutMs / 1000} s`;
    limit.abort(transient("RequestTimeout", message, { outcomeUnknown: true }));
  });
  const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal;
  try {
    const answerBytes = { remaining: ANSWER_BYTES };
    const response = await options.transport.request({ answerBytes, ...request, signal });
    options.onAnswer?.(request.method, response.status);
    if (response.status >= 400) throw await failureOf(response, attempt);
    return await response.json();
  } catch (error) {
    throw connectionFailure(error, attempt);
  } finally {
    timer.cancel();
  }
}

async function* watchEvents<T extends KubernetesObject>(
  options: ClientOptions,
  kind: Kind<T>,
  { namespace, signal, ...query }: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const path = withQuery(collectionPath(kind, namespace), {
    ...query,
    watch: true,
    allowWatchBookmarks: true,
  });
  const attempt = `WATCH ${collectionPath(kind, namespace)}`;
  try {
    const response = await options.transport.request({
      method: "GET",
      path,
      headers: headersOf(options),
      signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal,
      answerBytes: { remaining: ANSWER_BYTES },
    });
    options.onAnswer?.("WATCH", response.status);
    if (response.status >= 400) throw await failureOf(response, attempt);
    for await (const line of response.lines()) {
      const event = line as WatchEvent<T> | { type: "ERROR"; object: Parameters<typeof statusFailure>[0] };
      if (event.type === "ERROR") throw statusFailure(event.object, attempt);
      yield event;
    }
  } catch (error) {
    throw connectionFailure(error, attempt);
  }
}
