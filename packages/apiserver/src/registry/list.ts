import type { FieldError } from "@capstan/api";
import { badRequest, expired, invalidOptions, versionTooLarge } from "../http/status.ts";
import { parseVersion, wholeNumber } from "../http/query.ts";
import type { Matcher } from "../selectors/field-selector.ts";
import { parseSelection } from "../selectors/selection.ts";
import { type ContinuePoint, decodeContinue, encodeContinue } from "../storage/continue-token.ts";
import { ExpiredError, type Storage, type StoredObject } from "../storage/storage.ts";
import type { ObjectList } from "../http/representation.ts";
import type { Context, Target } from "./context.ts";
import { inVersion } from "./registry.ts";

/** The objects of a list, or of the start of a watch. */
interface Page {
  readonly items: readonly StoredObject[];
  readonly resourceVersion: number;
  readonly continueToken?: string;
  readonly remaining?: number;
}

const EXPIRED_LIST = "The resourceVersion for the provided list is too old.";
const EXPIRED_PAGE =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
  "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
  "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
  "deleted between the time the first chunk was returned and now may show up in the list.";

/** Answers a list request with a list object. */
export function list({ storage }: Context, target: Target, query: URLSearchParams): ObjectList {
  const { resource } = target;
  wholeNumber(query, "timeoutSeconds");
  const page = readPage(storage, target, query);
  return {
    kind: `${resource.kind.kind}List`,
    apiVersion: resource.apiVersion,
    metadata: {
      resourceVersion: String(page.resourceVersion),
      ...(page.continueToken !== undefined && { continue: page.continueToken }),
      ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
    },
    items: page.items,
  };
}

/** All objects that the selectors of a request select now. */
export function selected({ storage }: Context, target: Target, query: URLSearchParams): StoredObject[] {
  const matches = parseSelection(target.resource, query);
  const objects = storage.list({ resource: target.resource.table, ...scope(target) });
  return [...objects]
    .filter((object) => matches?.(object) ?? true)
    .map((object) => inVersion(target.resource, object));
}

function readPage(storage: Storage, target: Target, query: URLSearchParams): Page {
  const { resource } = target;
  const matches = parseSelection(resource, query);
  const point = startingPoint(storage, target, query);
  // kube-apiserver answers a list at resourceVersion 0 from its cache, which does not page.
  const limit = query.get("resourceVersion") === "0" ? 0 : pageLimit(query);
  const source = { resource: resource.table, ...scope(target), ...point.from };
  try {
    const { items, last, more } = take(storage.list(source), { limit, matches });
    const shown = items.map((object) => inVersion(resource, object));
    if (!more) return { items: shown, resourceVersion: point.resourceVersion };
    const next: ContinuePoint = { resourceVersion: point.resourceVersion, after: last };
    return {
      items: shown,
      resourceVersion: point.resourceVersion,
      continueToken: encodeContinue(next),
      ...(!matches && { remaining: storage.count({ ...source, after: last }) }),
    };
  } catch (error) {
    if (!(error instanceof ExpiredError)) throw error;
    const after = point.from.after;
    throw after === undefined
      ? expired(EXPIRED_LIST)
      : expired(EXPIRED_PAGE, encodeContinue({ resourceVersion: undefined, after }));
  }
}

interface StartingPoint {
  readonly resourceVersion: number;
  readonly from: { readonly at?: number; readonly after?: string };
}

function startingPoint(storage: Storage, target: Target, query: URLSearchParams): StartingPoint {
  const token = query.get("continue") ?? "";
  const wanted = query.get("resourceVersion") ?? "";
  return token === "" ? versionPoint(storage, wanted, query) : tokenPoint(storage, target, { token, wanted });
}

function tokenPoint(
  storage: Storage,
  target: Target,
  { token, wanted }: { token: string; wanted: string },
): StartingPoint {
  if (wanted !== "" && wanted !== "0")
    throw badRequest("specifying resource version is not allowed when using continue");
  const { resourceVersion, after } = continuePoint(target, token);
  if (resourceVersion === undefined) return { resourceVersion: storage.resourceVersion, from: { after } };
  return { resourceVersion, from: { after, at: resourceVersion } };
}

function versionPoint(storage: Storage, wanted: string, query: URLSearchParams): StartingPoint {
  const newest = storage.resourceVersion;
  const match = query.get("resourceVersionMatch") ?? "";
  const errors = matchErrors(wanted, match);
  if (query.has("sendInitialEvents"))
    errors.push(forbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  const version = parseVersion(wanted, (problem) => badRequest(`invalid resource version: ${problem}`));
  if (version > newest) throw versionTooLarge(version, newest);
  // A page with a version has always meant exactly that version, before resourceVersionMatch existed.
  const isPageAt = match === "" && version > 0 && pageLimit(query) > 0;
  if (match !== "Exact" && !isPageAt) return { resourceVersion: newest, from: {} };
  return { resourceVersion: version, from: { at: version } };
}

function pageLimit(query: URLSearchParams): number {
  return Math.max(0, wholeNumber(query, "limit") ?? 0);
}

function matchErrors(version: string, match: string): FieldError[] {
  const field = "resourceVersionMatch";
  if (match === "") return [];
  if (version === "")
    return [forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`)];
  if (match !== "Exact" && match !== "NotOlderThan") {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan", ""`;
    return [{ type: "FieldValueNotSupported", field, message }];
  }
  if (match === "Exact" && version === "0")
    return [forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`)];
  return [];
}

function forbiddenField(field: string, why: string): FieldError {
  return { type: "FieldValueForbidden", field, message: `Forbidden: ${why}` };
}

function continuePoint({ resource, namespace }: Target, token: string): ContinuePoint {
  try {
    const point = decodeContinue(token);
    const inside = namespace === "" || point.after.startsWith(`${namespace}/`);
    if (!inside || !point.after.includes("/")) throw new Error(point.after);
    return point;
  } catch (error) {
    throw badRequest(
      `invalid continue token: continue key is not valid: ${(error as Error).message} (list ${resource.kind.plural} again from the start)`,
    );
  }
}

function scope({ resource, namespace }: Target): { namespace?: string } {
  return resource.kind.namespaced && namespace !== "" ? { namespace } : {};
}

/** Reads until the page is full, and one object more to know whether another page follows. */
function take(
  objects: Iterable<StoredObject>,
  { limit, matches }: { limit: number; matches: Matcher | undefined },
): { items: StoredObject[]; last: string; more: boolean } {
  const items: StoredObject[] = [];
  let last = "";
  for (const object of objects) {
    if (matches && !matches(object)) continue;
    if (limit > 0 && items.length === limit) return { items, last, more: true };
    items.push(object);
    if (limit > 0) last = `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
  }
  return { items, last, more: false };
}
