import { isJsonObject } from "@capstan/api";
import type { GivenObject } from "./read-objects.ts";

/** The annotation in which kubectl records what it applied last. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch that `kubectl apply` would send to bring a stored object to a manifest. */
export function applyPatch(
  stored: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined } },
  given: GivenObject,
): Fields {
  // An object that a server printed is complete; a manifest has only the fields of its author.
  const isComplete = (given.metadata as Fields)["uid"] !== undefined;
  const before = isComplete ? (stored as Fields) : lastApplied(stored.metadata.annotations?.[LAST_APPLIED]);
  const { labels, annotations } = given.metadata as Fields;
  const patch = {
    metadata: { ...(isJsonObject(labels) && { labels }), ...(isJsonObject(annotations) && { annotations }) },
    spec: given["spec"] ?? {},
  };
  return withRemovals({ spec: before["spec"] }, patch);
}

function lastApplied(text: string | undefined): Fields {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    // An annotation that does not parse was not written by kubectl, so it removes nothing.
    return {};
  }
}

/** Fields that were applied before and are missing now are removed; fields of other clients stay. */
function withRemovals(before: Fields, after: Fields): Fields {
  const removed = Object.keys(before).filter((key) => before[key] !== undefined && !(key in after));
  const kept = Object.entries(after).map(([key, value]): [string, unknown] => {
    const old = before[key];
    return [key, isJsonObject(value) && isJsonObject(old) ? withRemovals(old, value) : value];
  });
  return Object.fromEntries([...kept, ...removed.map((key): [string, null] => [key, null])]);
}
