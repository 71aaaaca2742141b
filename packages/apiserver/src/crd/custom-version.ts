import type { PrintedSchema, PrinterColumn, ScalePaths } from "@capstan/api";
import type { SchemaNode } from "../schema/node.ts";
import type { StoredObject } from "../storage/storage.ts";
import type { DefinitionNames } from "./definition.ts";

/** What a CRD says about one version of its kind, as far as serving it goes. */
export interface CustomVersion {
  /** The names that the kind goes by. */
  readonly names: DefinitionNames;
  /** The schema of the version that objects are stored in; the same one where the versions do not differ. */
  readonly stored: SchemaNode;
  /** The schemas of all versions that objects may have been stored in, by their `apiVersion`. */
  readonly schemas: ReadonlyMap<string, SchemaNode>;
  /** The schema of this version as the CRD has it, for OpenAPI. */
  readonly printed: PrintedSchema | undefined;
  readonly scale: ScalePaths | undefined;
  /** The columns of `kubectl get`, for whoever prints tables. */
  readonly columns: readonly PrinterColumn[];
  /** What callers of this version are told, if it is on its way out. */
  readonly deprecation: string | undefined;
  /** Objects of later versions than this were written under this schema; older ones are read through it. */
  readonly since: number;
  /** Older objects as this version reads them, so that each is read through its schema once. */
  readonly reread: WeakMap<StoredObject, StoredObject>;
}
