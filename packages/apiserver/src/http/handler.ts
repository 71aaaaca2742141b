import { deepCopy } from "@capstan/api";
import type { HttpRequest, HttpResponse } from "@capstan/env";
import type { Context, Target, WriteOptions, Written } from "../registry/context.ts";
import { create } from "../registry/create.ts";
import { remove } from "../registry/delete.ts";
import { inBatches } from "../registry/in-batches.ts";
import { list, selected } from "../registry/list.ts";
import { inVersion, keyOf } from "../registry/registry.ts";
import { scaleOf, scalePaths } from "../registry/scale/scale.ts";
import { scaledObject } from "../registry/scale/scale-managers.ts";
import { update } from "../registry/update.ts";
import type { StoredObject } from "../storage/storage.ts";
import { actionOf } from "../built-in/actions.ts";
import type { Caller } from "../security/attributes.ts";
import type { Serve } from "../security/guard.ts";
import { openWatch } from "../watch/open.ts";
import { readBody } from "./body.ts";
import { applyOne, isApply, patchOptions } from "./apply.ts";
import { readPatch } from "./patch.ts";
import { createDocuments } from "../discovery/documents.ts";
import { deleteOptions } from "./delete-options.ts";
import { parseVersion, writeOptions } from "./query.ts";
import { encoded } from "./encoding.ts";
import { negotiated, type Representation, representation } from "./representation.ts";
import { jsonResponse, statusResponse, textResponse, warningHeaders } from "./response.ts";
import { type Route, routeRequest, type Verb } from "./route.ts";
import { throughPod } from "./port-forward.ts";
import { throughService } from "./service-proxy.ts";
import {
  ApiError,
  badRequest,
  detailsOf,
  failed,
  internalError,
  notFound,
  versionTooLarge,
} from "./status.ts";

/** Answers Kubernetes API requests from the storage. */
export function createHandler(context: Context): Serve {
  const documents = createDocuments(context.registry, context.preferredVersions);
  return async (request, caller) => {
    try {
      const proxied = await throughService(context.services, request);
      if (proxied) return proxied;
      const forwarded = throughPod(context, request, caller);
      if (forwarded) return forwarded;
      const document = documents(request);
      if (document) return document;
      const route = routeRequest(context.registry, request);
      if (!route) return textResponse(404, "404 page not found\n");
      const wanted = negotiated(request);
      const shown = representation(context, route, wanted);
      const response = await VERBS[route.verb](context, { ...route, caller, shown }, request);
      return await encoded(deprecated(route, response), request, wanted.encoding);
    } catch (error) {
      if (error instanceof ApiError) return statusResponse(error.status, warningHeaders(error.warnings));
      return statusResponse(internalError(error instanceof Error ? error.message : String(error)).status);
    }
  };
}

/** A parsed request, and its caller. */
interface Asked extends Route {
  readonly caller: Caller;
  /** The form of the answer. */
  readonly shown: Representation;
}

/** Adds a warning to every answer of a deprecated version. */
function deprecated({ target }: Route, response: HttpResponse): HttpResponse {
  const text = target.resource.custom?.deprecation;
  if (text === undefined) return response;
  const { warning } = response.headers;
  const added = warningHeaders([text])["warning"];
  return {
    ...response,
    headers: { ...response.headers, warning: warning ? `${added}, ${warning}` : `${added}` },
  };
}

type VerbHandler = (
  context: Context,
  route: Asked,
  request: HttpRequest,
) => HttpResponse | Promise<HttpResponse>;

const VERBS: Readonly<Record<Verb, VerbHandler>> = {
  get: getOne,
  list: (context, { target, query, shown }) => shown.list(list(context, target, query)),
  watch: (context, { target, query, shown }, request) => {
    return shown.watch(openWatch(context, target, { query, signal: request.signal }));
  },
  create: createOne,
  update: updateOne,
  patch: patchOne,
  delete: deleteOne,
  deletecollection: deleteMany,
};

function getOne({ storage }: Context, { target, query, shown }: Asked): HttpResponse {
  const { resource, namespace, name } = target;
  const version = parseVersion(query.get("resourceVersion") ?? "", failed);
  if (version > storage.resourceVersion) throw versionTooLarge(version, storage.resourceVersion);
  const object = storage.get(keyOf(resource, namespace, name));
  if (!object) throw notFound(resource.kind, name);
  return shown.object(view(target, object));
}

async function createOne(
  context: Context,
  { target, query, caller, shown }: Asked,
  request: HttpRequest,
): Promise<HttpResponse> {
  const options = { ...writeOptions(query, "CreateOptions", request), user: caller.user };
  const { value, duplicates } = readBody(request, target.resource.kind.kind);
  const action = actionOf(target);
  if (action) {
    const call = { target, body: asObject(target, value), options, caller };
    return jsonResponse(201, await action(context, call));
  }
  return writtenResponse(target, shown, await create(context, target, { body: value, duplicates, options }));
}

async function updateOne(
  context: Context,
  { target, query, caller, shown }: Asked,
  request: HttpRequest,
): Promise<HttpResponse> {
  const options = { ...writeOptions(query, "UpdateOptions", request), user: caller.user };
  const { value, duplicates } = readBody(request, target.resource.kind.kind);
  return await write(context, target, {
    options,
    source: "body",
    duplicates,
    shown,
    change: () => deepCopy(value),
  });
}

async function patchOne(
  context: Context,
  { target, query, caller, shown }: Asked,
  request: HttpRequest,
): Promise<HttpResponse> {
  const options = { ...patchOptions(query, request), user: caller.user };
  if (isApply(request))
    return writtenResponse(target, shown, await applyOne(context, target, { query, options, request }));
  const patch = readPatch(target.resource, request);
  return await write(context, target, { options, source: "patch", shown, ...patch });
}

interface Wanted {
  readonly options: WriteOptions;
  readonly source: "body" | "patch";
  readonly duplicates: readonly string[];
  readonly shown: Representation;
  /** Computes the new object from the stored one. */
  readonly change: (old: unknown) => unknown;
}

/** An update of the object, or of its Scale. */
async function write(context: Context, target: Target, wanted: Wanted): Promise<HttpResponse> {
  const { resource } = target;
  const { options, source, duplicates, change } = wanted;
  const paths = target.subresource === "scale" ? scalePaths(resource) : undefined;
  const produce = (stored: StoredObject): unknown => {
    const old = inVersion(resource, stored);
    if (!paths) return change(old);
    const scale = change(scaleOf(paths, old));
    const manager = options.fieldManager;
    return scaledObject(resource, { old, paths, scale, manager, operation: "Update", force: true });
  };
  const inner = paths ? { ...target, subresource: "" } : target;
  return writtenResponse(
    target,
    wanted.shown,
    await update(context, inner, {
      produce,
      source: paths ? "patch" : source,
      ...(paths && { through: "scale" }),
      duplicates,
      options,
    }),
  );
}

async function deleteOne(
  context: Context,
  { target, query, caller }: Asked,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { resource, name } = target;
  const options = { ...deleteOptions(request, query), user: caller.user };
  const { gone, object } = await remove(context, target, options);
  if (!gone || resource.strategy.returnsDeleted) return jsonResponse(200, inVersion(resource, object));
  return jsonResponse(200, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: { ...detailsOf(resource.kind, name), uid: object.metadata.uid },
  });
}

async function deleteMany(
  context: Context,
  { target, query, caller }: Asked,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { resource } = target;
  const options = { ...deleteOptions(request, query), user: caller.user };
  const items = selected(context, target, query);
  const resourceVersion = String(context.storage.resourceVersion);
  await inBatches(items, async ({ metadata }) => {
    await remove(context, { ...target, name: metadata.name }, options).catch((error: unknown) => {
      // Another client has deleted the object meanwhile, which is the requested result.
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    });
  });
  return jsonResponse(200, {
    apiVersion: resource.apiVersion,
    kind: `${resource.kind.kind}List`,
    metadata: { resourceVersion },
    items,
  });
}

function asObject({ resource }: Target, body: unknown): Record<string, unknown> {
  if (typeof body === "object" && body !== null && !Array.isArray(body))
    return body as Record<string, unknown>;
  throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind.kind})`);
}

function view({ resource, subresource }: Target, object: StoredObject): unknown {
  const shown = inVersion(resource, object);
  const scale = subresource === "scale" ? scalePaths(resource) : undefined;
  return scale ? scaleOf(scale, shown) : shown;
}

function writtenResponse(
  target: Target,
  shown: Representation,
  { object, created, warnings }: Written,
): HttpResponse {
  return shown.object(view(target, object), created ? 201 : 200, warningHeaders(warnings));
}
