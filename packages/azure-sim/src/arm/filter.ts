import { isObject, textAt } from "../json.ts";
import type { Resource } from "../core/resources.ts";
import { ArmError } from "./errors.ts";

/** Whether a list contains a resource. */
type Test = (resource: Resource) => boolean;

type Field = (resource: Resource) => string;

const FIELDS: Readonly<Record<string, Field>> = {
  name: ({ name }) => name,
  resourcetype: ({ type }) => type,
  location: ({ location }) => location,
  resourcegroup: ({ id }) => /\/resourceGroups\/([^/]+)/i.exec(id)?.[1] ?? "",
};
// Filters have few terms, and each is matched in linear time.
const LONGEST = 2_000;
const TERM = /^(\w+) (eq|ne) '((?:[^']|'')*)'$/i;
const SUBSTRING = /^substringof\('((?:[^']|'')*)', *(\w+)\)$/i;
const BETWEEN = / and (?=(?:[^']*'[^']*')*[^']*$)/i;

/**
 * The filter of a list of resources or resource groups: terms such as `resourceType eq 'X'`, joined by `and`. A filter
 * that the simulation does not know is refused: a script that deletes what it lists must not get all resources.
 */
export function filterOf(query: URLSearchParams): Test {
  const filter = query.get("$filter")?.trim() ?? "";
  if (filter === "") return () => true;
  if (filter.length > LONGEST) throw invalid(`${filter.slice(0, 50)}…`, "is too long");
  const tag = tagTest(filter);
  if (tag) return tag;
  const tests = filter.split(BETWEEN).map((term) => testOf(term.trim(), filter));
  return (resource) => tests.every((test) => test(resource));
}

const TAG = /^tagName eq '((?:[^']|'')*)'(?: and tagValue eq '((?:[^']|'')*)')?$/i;

/** As in ARM, a filter by tag has no other term. */
function tagTest(filter: string): Test | undefined {
  const [match, name, value] = TAG.exec(filter) ?? [];
  if (match === undefined) return undefined;
  const wanted = unquoted(name).toLowerCase();
  return ({ body }) => {
    const tags = isObject(body["tags"]) ? body["tags"] : {};
    const key = Object.keys(tags).find((one) => one.toLowerCase() === wanted);
    return key !== undefined && (value === undefined || textAt(tags, key) === unquoted(value));
  };
}

function testOf(term: string, filter: string): Test {
  const [, name = "", operator = "", value] = TERM.exec(term) ?? [];
  const field = FIELDS[name.toLowerCase()];
  if (field) {
    const wanted = unquoted(value).toLowerCase();
    const isEqual = operator.toLowerCase() === "eq";
    return (resource) => (field(resource).toLowerCase() === wanted) === isEqual;
  }
  const [, part, within = ""] = SUBSTRING.exec(term) ?? [];
  const searched = FIELDS[within.toLowerCase()];
  if (!searched) throw invalid(filter, `the term '${term}' is not supported`);
  const wanted = unquoted(part).toLowerCase();
  return (resource) => searched(resource).toLowerCase().includes(wanted);
}

function unquoted(text = ""): string {
  return text.replaceAll("''", "'");
}

function invalid(filter: string, why: string): ArmError {
  return new ArmError(400, {
    code: "InvalidFilterInQueryString",
    message: `Invalid $filter '${filter}' specified in the query string: ${why}. Use name, resourceType, location or resourceGroup with eq or ne, substringof('x', name), or tagName eq 'a' and tagValue eq 'b'.`,
  });
}

/** How many items a page may have: `$top`, but at most a full page. */
export function pageSizeOf(query: URLSearchParams, most: number): number {
  const top = query.get("$top");
  if (top === null) return most;
  const size = /^[0-9]{1,9}$/.test(top) ? Number(top) : 0;
  if (size > 0) return Math.min(size, most);
  throw new ArmError(400, {
    code: "InvalidTopInQueryString",
    message: `Invalid $top '${top}' specified in the query string: it must be a number above 0.`,
  });
}
