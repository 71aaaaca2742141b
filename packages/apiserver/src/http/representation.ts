import type { HttpRequest, HttpResponse } from "@capstan/env";
import type { Context } from "../registry/context.ts";
import type { StoredObject } from "../storage/storage.ts";
import { columnsFor } from "../table/columns.ts";
import { parseIncludeObject, wantedTable } from "../table/negotiation.ts";
import { tableEvents, tableOf, type TableOptions } from "../table/table.ts";
import type { Watch } from "../watch/watch.ts";
import { jsonResponse, streamResponse } from "./response.ts";
import type { Route } from "./route.ts";
import { badRequest } from "./status.ts";

/** A list as it is answered. */
export interface ObjectList {
  readonly metadata: object;
  readonly items: readonly StoredObject[];
}

/** Prints what was read as the client asked for it: as it is, or as the Table that kubectl shows. */
export interface Representation {
  object(object: unknown): HttpResponse;
  list(list: ObjectList): HttpResponse;
  watch(watch: Watch): HttpResponse;
}

const PLAIN: Representation = {
  object: (object) => jsonResponse(200, object),
  list: (list) => jsonResponse(200, list),
  watch: (watch) => streamResponse(() => watch),
};

/** The form that a request accepts. */
export function representation(
  { env }: Context,
  { target, query }: Route,
  request: HttpRequest,
): Representation {
  const version = wantedTable(request.headers["accept"] ?? "");
  if (version === undefined) return PLAIN;
  const parsed = parseIncludeObject(query.get("includeObject") ?? "");
  if ("problem" in parsed) throw badRequest(parsed.problem);
  const options: Omit<TableOptions, "now"> = { version, columns: columnsFor(target.resource), ...parsed };
  const now = (): number => env.clock.now();
  return {
    object: (object) =>
      jsonResponse(200, tableOf({ ...options, now: now(), objects: [object as StoredObject] })),
    list: ({ metadata, items }) =>
      jsonResponse(200, tableOf({ ...options, now: now(), objects: items, listMetadata: metadata })),
    watch: (watch) => streamResponse(() => tableEvents(watch, { ...options, now })),
  };
}
