import type { AdmissionRequest } from "../kind.ts";
import type { KubernetesObject } from "../kubernetes/meta.ts";
import { deepEqual } from "../values/deep-equal.ts";
import { type FieldError, forbidden, shown } from "../values/field-error.ts";

const TOPOLOGY_DRY_RUN = "topology.cluster.x-k8s.io/dry-run";

/**
 * Whether Cluster API's core asks what an apply would change in a template: it compares the answer and then creates a new
 * template, so a changed immutable field must not be refused.
 */
export function isTopologyDryRun({
  object,
  isDryRun = false,
}: Pick<AdmissionRequest<KubernetesObject>, "object" | "isDryRun">): boolean {
  return isDryRun && object.metadata.annotations?.[TOPOLOGY_DRY_RUN] !== undefined;
}

/** An immutable field. */
export interface ImmutableField<T> {
  readonly path: string;
  readonly read: (object: T) => unknown;
  /** What to do instead. */
  readonly instead: string;
  /** A field that was not set may still be set once. */
  readonly maySetLater?: boolean;
}

/** Reports immutable fields that have changed. */
export function immutableFieldErrors<T>(
  object: T,
  old: T | undefined,
  fields: readonly ImmutableField<T>[],
): readonly FieldError[] {
  if (old === undefined) {
    return [];
  }
  return fields.flatMap(({ path, read, instead, maySetLater = false }) => {
    const before = read(old);
    const after = read(object);
    const free = maySetLater && isUnset(before);
    return free || deepEqual(before, after)
      ? []
      : [forbidden(path, `cannot change from ${orUnset(before)} to ${orUnset(after)}: ${instead}`)];
  });
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === "" || value === 0;
}

function orUnset(value: unknown): string {
  return value === undefined ? "unset" : shown(value);
}
