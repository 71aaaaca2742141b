/** Keeps the managers of an object whose replicas are written through its Scale. */
import type { ScalePaths } from "@capstan/api";
import { applyConflict, ConflictError } from "../../apply/conflicts.ts";
import { type Managers, readManagers, writeManagers, type Writer } from "../../apply/managers.ts";
import { scaleManagers } from "../../apply/scale.ts";
import type { StoredObject } from "../../storage/storage.ts";
import type { Resource } from "../registry.ts";
import { readPath, withScale } from "./scale.ts";

/** A write of a Scale. */
interface ScaleWrite {
  /** The object, in the version of the request. */
  readonly old: StoredObject;
  readonly paths: ScalePaths;
  readonly scale: unknown;
  /** Absent for writes of the server itself. */
  readonly manager: string | undefined;
  readonly operation: Writer["operation"];
  readonly force: boolean;
}

/** The object with the replicas of a Scale, and with its managers after the write. */
export function scaledObject(resource: Resource, write: ScaleWrite): unknown {
  const { old, paths, scale, manager } = write;
  const scaled = withScale(resource, { old, paths, scale });
  if (manager === undefined) return scaled;
  const path = paths.specReplicasPath;
  const isChange = readPath(old, path) !== readPath(scaled as StoredObject, path);
  const managers = readManagers(old.metadata.managedFields);
  const after = managers && managersAfter(resource, write, { managers, manager, isChange });
  const { managedFields: _, ...metadata } = scaled["metadata"] as Record<string, unknown>;
  const entries = after && writeManagers(after);
  return { ...scaled, metadata: { ...metadata, ...(entries && { managedFields: entries }) } };
}

function managersAfter(
  { apiVersion, custom }: Resource,
  { paths, operation, force }: ScaleWrite,
  { managers, manager: name, isChange }: { managers: Managers; manager: string; isChange: boolean },
): Managers {
  const writer: Writer = { name, operation, apiVersion, subresource: "scale" };
  try {
    const pathIn = (version: string): string => (custom?.scales.get(version) ?? paths).specReplicasPath;
    return scaleManagers(managers, { pathIn, writer, isChange, force });
  } catch (error) {
    throw error instanceof ConflictError ? applyConflict(error.conflicts) : error;
  }
}
