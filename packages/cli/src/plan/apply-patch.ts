import { isJsonObject } from "@capstan/api";
import type { GivenObject } from "./read-objects.ts";

/** Where kubectl notes what it applied last. */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

type Fields = Readonly<Record<string, unknown>>;

/** The merge patch by which `kubectl apply` would bring a stored object to a manifest. */
export function applyPatch(
  stored: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined } },
  given: GivenObject,
): Fields {
  const before = lastApplied(stored.metadata.annotations?.[LAST_APPLIED]);
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
    // What somebody else wrote there is no ground to remove anything.
    return {};
  }
}

/** What was applied before and is in the manifest no more is taken away; what others have set stays. */
function withRemovals(before: Fields, after: Fields): Fields {
  const removed = Object.keys(before).filter((key) => before[key] !== undefined && !(key in after));
  const kept = Object.entries(after).map(([key, value]): [string, unknown] => {
    const old = before[key];
    return [key, isJsonObject(value) && isJsonObject(old) ? withRemovals(old, value) : value];
  });
  return Object.fromEntries([...kept, ...removed.map((key): [string, null] => [key, null])]);
}
