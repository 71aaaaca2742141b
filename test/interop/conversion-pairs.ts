/** Objects before and after a conversion: ours beside upstream's. */
import { type CustomKind, isJsonObject, type JsonObject, versionConversion } from "@capstan/api";
import { versionsOf } from "./upstream-crds.ts";

/** The direction of a conversion. */
export type Way = "up" | "down";

/** Both directions. */
export const WAYS: readonly Way[] = ["up", "down"];

/** An object, and what upstream's conversion makes of it. */
export interface RecordedPair {
  readonly way: Way;
  readonly object: JsonObject;
  /** Its spec and status; the rest is the same, or the annotation with the whole object. */
  readonly upstream: JsonObject;
}

/** The versions at the two ends of a way. */
export function endsOf(kind: CustomKind, way: Way): { readonly from: string; readonly to: string } {
  const { older, newer } = versionsOf(kind);
  return way === "up" ? { from: older, to: newer } : { from: newer, to: older };
}

/** The object that our own conversion makes, with the versions of references that the oracle has. */
export function convertOurs(kind: CustomKind, way: Way, object: JsonObject): JsonObject {
  const { from, to } = endsOf(kind, way);
  const versionOf = (_: string, name: string): string => (name.startsWith("Kubeadm") ? "v1beta2" : "v1beta1");
  const versions = { from: `${kind.group}/${from}`, to: `${kind.group}/${to}` };
  return versionConversion(kind, { versionOf })(object, versions).object;
}

/** What differs between spec and status of two objects, a line each: `path: ours | upstream's`. */
export function differences(ours: JsonObject, upstream: JsonObject): readonly string[] {
  return ["spec", "status"].flatMap((part) => [...between(ours[part], upstream[part], part)]);
}

function* between(ours: unknown, upstream: unknown, path: string): Generator<string> {
  if (isJsonObject(ours) && isJsonObject(upstream)) {
    for (const name of new Set([...Object.keys(ours), ...Object.keys(upstream)]))
      yield* between(ours[name], upstream[name], `${path}.${name}`);
  } else if (Array.isArray(ours) && Array.isArray(upstream)) {
    const length = Math.max(ours.length, upstream.length);
    for (let index = 0; index < length; index++) yield* between(ours[index], upstream[index], `${path}[]`);
  } else if (ours !== upstream) yield `${path}: ${printed(ours)} | ${printed(upstream)}`;
}

function printed(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
