import type { HttpRequest, HttpResponse } from "@capstan/env";
import type { Context } from "../registry/context.ts";
import type { StoredObject, WatchLine } from "../storage/storage.ts";
import { columnsFor } from "../table/columns.ts";
import { metadataOf, tableEvents, tableOf, type TableOptions } from "../table/table.ts";
import type { Watch } from "../watch/watch.ts";
import {
  type MetaVersion,
  type Negotiated,
  negotiate,
  namesKnownType,
  parseIncludeObject,
} from "./negotiation.ts";
import { jsonResponse, listResponse, objectResponse, streamResponse, watchResponse } from "./response.ts";
import type { Route } from "./route.ts";
import { badRequest, notAcceptable } from "./status.ts";

/** A list as it is answered. */
export interface ObjectList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly items: readonly StoredObject[];
}

/**
 * Converts what was read or written to the form that the client requested: as it is, its metadata, or a Table for
 * kubectl.
 */
export interface Representation {
  object(object: unknown, status?: number, headers?: Readonly<Record<string, string>>): HttpResponse;
  list(list: ObjectList): HttpResponse;
  watch(watch: Watch): HttpResponse;
}

const PLAIN: Representation = {
  object: (object, status = 200, headers = {}) => objectResponse(status, object as object, headers),
  list: (list) => listResponse(list),
  watch: (watch) => watchResponse(watch),
};

const BUILT_IN: Representation = {
  ...PLAIN,
  list: (list) => listResponse({ ...list, items: list.items.map(bare) }),
};

const bareObjects = new WeakMap<StoredObject, StoredObject>();

/** In lists of Kubernetes' own kinds the items omit kind and version, which the list has. */
function bare(object: StoredObject): StoredObject {
  const known = bareObjects.get(object);
  if (known) return known;
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  // Readers of a list know its kind; the type does not allow the two fields to be absent there.
  const made = Object.freeze(rest) as StoredObject;
  bareObjects.set(object, made);
  return made;
}

/** What the request accepts; throws if that is not available. */
export function negotiated({ headers }: HttpRequest): Negotiated {
  const accept = headers["accept"] ?? "";
  const wanted = negotiate(accept);
  if (wanted) return wanted;
  const served = "application/json, application/yaml";
  throw notAcceptable(
    namesKnownType(accept)
      ? `only the following media types are accepted: ${served}`
      : `406: Not Acceptable\n\nAvailable representations: ${served}`,
  );
}

/** The form that a request accepts. */
export function representation(
  context: Context,
  { target, query }: Route,
  { form }: Negotiated,
): Representation {
  switch (form.type) {
    case "object":
      return target.resource.custom ? PLAIN : BUILT_IN;
    case "metadata":
      return metadataRepresentation(form.version);
    case "table": {
      const parsed = parseIncludeObject(query.get("includeObject") ?? "");
      if ("problem" in parsed) throw badRequest(parsed.problem);
      const { version } = form;
      return tableRepresentation(context, { version, columns: columnsFor(target.resource), ...parsed });
    }
  }
}

function tableRepresentation({ env }: Context, options: Omit<TableOptions, "now">): Representation {
  const now = (): number => env.clock.now();
  return {
    object: (object, status = 200, headers = {}) =>
      jsonResponse(status, tableOf({ ...options, now: now(), objects: [object as StoredObject] }), headers),
    list: ({ metadata, items }) =>
      jsonResponse(200, tableOf({ ...options, now: now(), objects: items, listMetadata: metadata })),
    watch: (watch) => streamResponse(() => tableEvents(watch, { ...options, now })),
  };
}

function metadataRepresentation(version: MetaVersion): Representation {
  return {
    object: (object, status = 200, headers = {}) =>
      jsonResponse(status, metadataOf(object as StoredObject, version), headers),
    list: ({ metadata, items }) =>
      jsonResponse(200, {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${version}`,
        metadata,
        items: items.map((item) => metadataOf(item, version)),
      }),
    watch: (watch) => streamResponse(() => metadataEvents(watch, version)),
  };
}

async function* metadataEvents(
  lines: AsyncIterable<WatchLine>,
  version: MetaVersion,
): AsyncGenerator<WatchLine> {
  for await (const line of lines) {
    if (line.type === "ERROR") yield line;
    else yield { type: line.type, object: metadataOf(line.object as StoredObject, version) };
  }
}
