import type { FieldError } from "@capstan/api";
import type { Env } from "@capstan/env";
import { parseVersion, wholeNumber } from "../http/query.ts";
import { expired, failed, invalidOptions, versionTooLarge } from "../http/status.ts";
import type { Context, Target } from "../registry/context.ts";
import { selected } from "../registry/list.ts";
import { parseSelection } from "../selectors/selection.ts";
import { Watch, type WatchOptions } from "./watch.ts";
import { isOn } from "../request-url.ts";

// A watch without a timeout gets one between 30 and 60 minutes, so that clients rebalance over servers.
const SHORTEST_WATCH_MS = 30 * 60_000;

/** Opens the watch of a request. */
export function openWatch(
  context: Context,
  target: Target,
  { query, signal }: { query: URLSearchParams; signal: AbortSignal | undefined },
): Watch {
  const { env, callerClock, storage, registry } = context;
  const { resource, namespace } = target;
  const errors = optionErrors(query);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  const bookmarks = isOn(query, "allowWatchBookmarks");
  return new Watch(storage, callerClock, {
    resource,
    matches: parseSelection(resource, query),
    bookmarks,
    announceInitialEnd: bookmarks && isOn(query, "sendInitialEvents"),
    timeoutMs: timeoutMs(env, query),
    onRetired: (end) => registry.onRetired(resource, end),
    ...start(context, target, query),
    ...(namespace !== "" && { namespace }),
    ...(signal && { signal }),
  });
}

/**
 * Where the watch begins. kube-apiserver has started its answer before it checks the version, so an invalid version is
 * not an HTTP status but the only event.
 */
function start(
  context: Context,
  target: Target,
  query: URLSearchParams,
): Pick<WatchOptions, "since" | "initial" | "failure"> {
  const { resourceVersion: newest } = context.storage;
  const since = parseVersion(query.get("resourceVersion") ?? "", failed);
  // Without a version a watch begins with the existing objects, unless the request says otherwise.
  const wantsInitial = query.has("sendInitialEvents") ? isOn(query, "sendInitialEvents") : since === 0;
  if (!wantsInitial) return changesSince(context, target, since);
  if (since > newest) return { since, initial: [], failure: versionTooLarge(since, newest) };
  return { since: newest, initial: selected(context, target, query) };
}

function changesSince(
  { storage }: Context,
  { resource }: Target,
  since: number,
): Pick<WatchOptions, "since" | "initial" | "failure"> {
  if (since === 0) return { since: storage.resourceVersion, initial: [] };
  const oldest = storage.oldestVersion(resource.table);
  if (since >= oldest) return { since, initial: [] };
  return { since, initial: [], failure: expired(`too old resource version: ${since} (${oldest})`) };
}

function timeoutMs(env: Env, query: URLSearchParams): number {
  const seconds = wholeNumber(query, "timeoutSeconds") ?? 0;
  return seconds > 0 ? seconds * 1000 : SHORTEST_WATCH_MS * (1 + env.rng("watch").next());
}

function optionErrors(query: URLSearchParams): FieldError[] {
  const field = "resourceVersionMatch";
  const match = query.get(field) ?? "";
  const errors: FieldError[] = [];
  if (query.has("sendInitialEvents")) {
    if (match === "NotOlderThan") return [];
    const why = `sendInitialEvents requires setting ${field} to NotOlderThan`;
    errors.push({ type: "FieldValueForbidden", field, message: `Forbidden: ${why}` });
    if (match === "") return errors;
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    return [...errors, { type: "FieldValueNotSupported", field, message }];
  }
  if (match === "") return [];
  const why = `${field} is forbidden for watch unless sendInitialEvents is provided`;
  return [{ type: "FieldValueForbidden", field, message: `Forbidden: ${why}` }];
}
