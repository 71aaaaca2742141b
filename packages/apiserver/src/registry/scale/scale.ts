import { deepCopy, formatSelector, invalid as invalidField, type ScalePaths, selectorOf } from "@capstan/api";
import { badRequest, internalError, invalid } from "../../http/status.ts";
import type { StoredObject } from "../../storage/storage.ts";
import type { Resource } from "../registry.ts";

// Kubernetes' own scalable kinds have the numbers at the same paths.
const BUILT_IN: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

/** The paths of the replicas of this kind; undefined if it cannot be scaled. */
export function scalePaths({ kind, custom }: Resource): ScalePaths | undefined {
  if (custom) return custom.scale;
  return kind.subresources.includes("scale") ? BUILT_IN : undefined;
}

/** The object as `kubectl scale` and autoscalers see it: a Scale of `autoscaling/v1`. */
export function scaleOf(paths: ScalePaths, object: StoredObject): unknown {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = readPath(object, paths.specReplicasPath);
  if (typeof replicas !== "number")
    throw internalError(`the spec replicas field "${paths.specReplicasPath}" does not exist`);
  const selector = selectorText(paths.labelSelectorPath && readPath(object, paths.labelSelectorPath));
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas },
    status: {
      replicas: readPath(object, paths.statusReplicasPath) ?? 0,
      ...(selector !== undefined && { selector }),
    },
  };
}

/** A custom kind has its selector as text; Kubernetes' own have it as an object. */
function selectorText(selector: unknown): string | undefined {
  if (typeof selector === "string") return selector;
  return typeof selector === "object" && selector !== null ? formatSelector(selectorOf(selector)) : undefined;
}

/** A copy of the object with the replicas, and the preconditions, of a Scale. */
export function withScale(
  resource: Resource,
  { old, paths, scale }: { old: StoredObject; paths: ScalePaths; scale: unknown },
): Record<string, unknown> {
  const { metadata = {}, spec = {}, kind = "Scale" } = (scale ?? {}) as WantedScale;
  if (kind !== "Scale") throw badRequest(`the body must be a Scale, not a ${JSON.stringify(kind)}`);
  const copy = deepCopy(old) as unknown as Record<string, unknown> & { metadata: Record<string, unknown> };
  writePath(
    copy,
    paths.specReplicasPath,
    checkedReplicas(resource, paths, { scale: spec, name: old.metadata.name }),
  );
  for (const field of ["uid", "resourceVersion"] as const) {
    if (metadata[field]) copy.metadata[field] = metadata[field];
  }
  return copy;
}

function checkedReplicas(
  { kind }: Resource,
  { specReplicasPath }: ScalePaths,
  { scale: { replicas = 0 }, name }: { scale: { readonly replicas?: unknown }; name: string },
): number {
  if (typeof replicas === "number" && Number.isInteger(replicas) && replicas >= 0) return replicas;
  throw invalid({ kind: kind.kind, group: kind.group, name }, [
    invalidField(specReplicasPath, replicas, "should be a non-negative integer"),
  ]);
}

interface WantedScale {
  readonly kind?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: { readonly replicas?: unknown };
}

/** The names in a path such as `.spec.replicas`. */
function namesIn(path: string): string[] {
  return path.split(".").filter((name) => name !== "");
}

/** The value at a path such as `.spec.replicas`. */
export function readPath(object: StoredObject, path: string): unknown {
  let value: unknown = object;
  for (const name of namesIn(path)) value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}

function writePath(object: Record<string, unknown>, path: string, value: unknown): void {
  const names = namesIn(path);
  const last = names.pop();
  let holder = object;
  for (const name of names) holder = (holder[name] ??= {}) as Record<string, unknown>;
  if (last !== undefined) holder[last] = value;
}
