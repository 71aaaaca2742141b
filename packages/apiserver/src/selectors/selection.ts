import { LabelSelectorError, parseLabelSelector, selectorMatches } from "@capstan/api";
import { badRequest } from "../http/status.ts";
import { inVersion, type Resource } from "../registry/registry.ts";
import { type Matcher, parseFieldSelector } from "./field-selector.ts";

/** The selectors of one request as one predicate; undefined if there are none and everything is selected. */
export function parseSelection(resource: Resource, query: URLSearchParams): Matcher | undefined {
  const labels = query.get("labelSelector") ?? "";
  const fields = query.get("fieldSelector") ?? "";
  const byLabels = labels === "" ? undefined : labelMatcher(labels);
  const byFields = fields === "" ? undefined : fieldMatcher(resource, fields);
  if (byLabels && byFields) return (object) => byLabels(object) && byFields(object);
  return byLabels ?? byFields;
}

/** A field selector names fields of its own version. Events are the exception: their selectors are translated. */
function fieldMatcher(resource: Resource, text: string): Matcher {
  const matches = parseFieldSelector(resource, text);
  return resource.custom?.convert ? (object) => matches(inVersion(resource, object)) : matches;
}

function labelMatcher(text: string): Matcher {
  try {
    const selector = parseLabelSelector(text);
    return (object) => selectorMatches(selector, object.metadata.labels);
  } catch (error) {
    if (error instanceof LabelSelectorError) throw badRequest(error.message);
    throw error;
  }
}
