import { ApiError, type StatusCause } from "../http/status.ts";
import { difference, type FieldSet, isEmptySet } from "./field-set.ts";
import { shownPaths } from "./fields-v1.ts";
import type { Manager } from "./managers.ts";

/** Fields of another manager that an apply would change, by the identity of that manager. */
export type Conflicts = ReadonlyMap<string, { readonly manager: Manager; readonly fields: FieldSet }>;

/** An apply that would change fields of other managers. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
  readonly conflicts: Conflicts;
  constructor(conflicts: Conflicts) {
    super("the apply changes fields of other managers");
    this.conflicts = conflicts;
  }
}

/** The conflicts without the fields of a set. */
export function conflictsOutside(conflicts: Conflicts, set: FieldSet): Conflicts {
  const left = [...conflicts].map(([identity, { manager, fields }]) => {
    return [identity, { manager, fields: difference(fields, set) }] as const;
  });
  return new Map(left.filter(([, { fields }]) => !isEmptySet(fields)));
}

/** The answer of kube-apiserver to an apply with conflicts: every field, by manager. */
export function applyConflict(conflicts: Conflicts): ApiError {
  const sorted = [...conflicts].sort(([a], [b]) => (a < b ? -1 : 1));
  const blocks = sorted.map(([, { manager, fields }]) => {
    return { shown: shownManager(manager), paths: shownPaths(fields) };
  });
  const causes: StatusCause[] = blocks.flatMap(({ shown, paths }) =>
    paths.map((field) => ({ reason: "FieldManagerConflict", message: `conflict with ${shown}`, field })),
  );
  const [only] = blocks;
  const text =
    causes.length === 1 && only
      ? `1 conflict: conflict with ${only.shown}: ${only.paths[0] ?? ""}`
      : `${causes.length} conflicts: ${blocks.map(block).join("\n")}`;
  return new ApiError({
    code: 409,
    reason: "Conflict",
    message: `Apply failed with ${text}`,
    details: { causes },
  });
}

function block({ shown, paths }: { readonly shown: string; readonly paths: readonly string[] }): string {
  return [`conflicts with ${shown}:`, ...paths.map((path) => `- ${path}`)].join("\n");
}

function shownManager({ name, subresource, operation, apiVersion }: Manager): string {
  const part = subresource === "" ? "" : ` with subresource ${JSON.stringify(subresource)}`;
  const version = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${JSON.stringify(name)}${part}${version}`;
}
