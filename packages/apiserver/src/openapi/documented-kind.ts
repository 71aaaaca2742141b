import type { PrintedSchema } from "@capstan/api";
import type { Discoverable } from "../discovery/discovery.ts";

/** A kind as the documents describe it: what discovery says, and the schema of a custom kind. */
export interface DocumentedKind extends Omit<Discoverable, "singular" | "shortNames" | "categories"> {
  /** What the CRD says about this version; absent for the kinds of Kubernetes itself. */
  readonly schema?: PrintedSchema | undefined;
}

/** A kind by its three names. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where the group and version of a kind are served, without the slash before it: `api/v1`, `apis/apps/v1`. */
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
