import type { StoredObject, WatchLine } from "../storage/storage.ts";
import type { Cell, Column, ColumnDefinition } from "./column.ts";
import type { IncludeObject, MetaVersion } from "../http/negotiation.ts";
import { rowConditions } from "./row-conditions.ts";

/** A `meta.k8s.io` Table: what kubectl prints without knowing the kind. */
export interface Table {
  readonly kind: "Table";
  readonly apiVersion: string;
  readonly metadata: object;
  /** Null in all events of a watch except the first. */
  readonly columnDefinitions: readonly ColumnDefinition[] | null;
  readonly rows: readonly TableRow[];
}

interface TableRow {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly object[];
  readonly object: unknown;
}

/** How objects become a Table. */
export interface TableOptions {
  readonly version: MetaVersion;
  readonly columns: readonly Column[];
  readonly includeObject: IncludeObject;
  /** The time to which ages are counted, in milliseconds. */
  readonly now: number;
}

/** The Table of a list, or of one object; then it has the resourceVersion of the object. */
export function tableOf(
  options: TableOptions & { readonly objects: readonly StoredObject[]; readonly listMetadata?: object },
): Table {
  const { columns, objects, version } = options;
  const { resourceVersion } = objects[0]?.metadata ?? {};
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: options.listMetadata ?? { resourceVersion },
    columnDefinitions: columns.map(definitionOf),
    rows: objects.map((object) => rowOf(object, options)),
  };
}

/**
 * An event of a watch as a Table of one row, including bookmarks; errors stay as they are. Only the first event
 * describes the columns.
 */
export function tableEvent(
  line: WatchLine,
  options: TableOptions & { readonly isFirst: boolean },
): WatchLine {
  if (line.type === "ERROR") return line;
  const table = tableOf({ ...options, objects: [line.object as StoredObject] });
  return { type: line.type, object: options.isFirst ? table : { ...table, columnDefinitions: null } };
}

/** The events of a watch as Tables. It calls `now` for every event. */
export async function* tableEvents(
  lines: AsyncIterable<WatchLine>,
  { now, ...options }: Omit<TableOptions, "now"> & { readonly now: () => number },
): AsyncGenerator<WatchLine> {
  let isFirst = true;
  for await (const line of lines) {
    yield tableEvent(line, { ...options, now: now(), isFirst });
    isFirst = false;
  }
}

function definitionOf({ name, type, format, description, priority }: Column): ColumnDefinition {
  return { name, type, format, description, priority };
}

function rowOf(object: StoredObject, { columns, includeObject, version, now }: TableOptions): TableRow {
  const conditions = rowConditions(object);
  return {
    cells: columns.map(({ cell }) => cell(object, now)),
    ...(conditions && { conditions }),
    object: shownObject(object, includeObject, version),
  };
}

function shownObject(object: StoredObject, include: IncludeObject, version: MetaVersion): unknown {
  if (include === "Object") return object;
  if (include === "None") return null;
  return metadataOf(object, version);
}

/** The metadata of an object, for controllers that watch very many objects. */
export function metadataOf({ metadata }: StoredObject, version: MetaVersion): unknown {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}
