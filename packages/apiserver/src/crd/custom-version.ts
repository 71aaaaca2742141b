import type { PrintedSchema, PrinterColumn, ScalePaths, VersionConversion } from "@capstan/api";
import type { SchemaNode } from "../schema/node.ts";
import type { StoredObject } from "../storage/storage.ts";
import type { DefinitionNames } from "./definition.ts";

/** What a CRD defines about one version of its kind, as far as serving it needs. */
export interface CustomVersion {
  /** The names of the kind. */
  readonly names: DefinitionNames;
  /** The schema of the storage version; the same one if the versions do not differ. */
  readonly stored: SchemaNode;
  /** The schemas of all versions that objects may have been stored in, by their `apiVersion`. */
  readonly schemas: ReadonlyMap<string, SchemaNode>;
  /** Converts between the versions of the kind; absent if they differ in their schemas alone. */
  readonly convert: VersionConversion | undefined;
  /** The paths of the replicas in each version that has them, by its `apiVersion`. */
  readonly scales: ReadonlyMap<string, ScalePaths>;
  /** The schema of this version as the CRD has it, for OpenAPI. */
  readonly printed: PrintedSchema | undefined;
  readonly scale: ScalePaths | undefined;
  /** The columns of `kubectl get`, for Tables. */
  readonly columns: readonly PrinterColumn[];
  /** The warning for clients of this version, if it is deprecated. */
  readonly deprecation: string | undefined;
  /** Objects with a later resourceVersion were written under this schema; older ones are read through it. */
  readonly since: number;
  /** Cache of older objects as this version reads them, so that each is converted once. */
  readonly reread: WeakMap<StoredObject, StoredObject>;
}
