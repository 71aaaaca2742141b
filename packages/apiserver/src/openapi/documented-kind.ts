import type { PrintedSchema } from "@capstan/api";
import type { Discoverable } from "../discovery/discovery.ts";

/** A kind as the documents describe it: with its discovery data, and the schema of a custom kind. */
export interface DocumentedKind extends Omit<Discoverable, "singular" | "shortNames" | "categories"> {
  /** The schema of this version in the CRD; absent for Kubernetes' own kinds. */
  readonly schema?: PrintedSchema | undefined;
}

/** A kind by its three names. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The path of a group and version, without the leading slash: `api/v1`, `apis/apps/v1`. */
export function groupVersionPath({
  group,
  version,
}: {
  readonly group: string;
  readonly version: string;
}): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** The names alone, as the documents carry them. */
export function groupVersionKind({ group, version, kind }: GroupVersionKind): GroupVersionKind {
  return { group, version, kind };
}
