import { isJsonObject } from "@capstan/api";
import type { ClusterSpecView } from "../../../azure-cluster/spec-view.ts";
import { rulesBySecurityGroup } from "./security-rules.ts";
import type { Tags } from "@capstan/plan";

/** The user's tags and rules that were written to Azure: only these are removed when they leave the spec. */
export interface LastApplied {
  readonly tags: Tags;
  /** The rules of each security group, with their descriptions. */
  readonly rules: Readonly<Record<string, Tags>>;
}

type Annotations = Readonly<Record<string, string>>;

// CAPZ's own annotation, so that a cluster can move between CAPZ and Capstan without leftovers.
const TAGS_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-rg";
const RULES_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-security-rules";

/** Reads the applied state from the annotations of a cluster. */
export function lastAppliedIn(annotations: Annotations = {}): LastApplied {
  const rules = Object.entries(jsonIn(annotations[RULES_ANNOTATION]));
  return {
    tags: textsIn(jsonIn(annotations[TAGS_ANNOTATION])),
    rules: Object.fromEntries(
      rules.map(([name, group]) => [name, textsIn(isJsonObject(group) ? group : {})]),
    ),
  };
}

/** The state that is applied when Azure matches the spec. */
export function applied(plan: ClusterSpecView): LastApplied {
  const groups = rulesBySecurityGroup(plan).map(({ name, rules }) => {
    const texts = rules.map((rule) => [String(rule["name"]), descriptionOf(rule["properties"])]);
    return [name, Object.fromEntries(texts) as Tags] as const;
  });
  return { tags: plan.spec.additionalTags ?? {}, rules: Object.fromEntries(groups) };
}

/** The state to record before a write: the old one and the new one. */
export function joined(before: LastApplied, after: LastApplied): LastApplied {
  const names = new Set([...Object.keys(before.rules), ...Object.keys(after.rules)]);
  const rules = [...names].map((name) => [name, { ...before.rules[name], ...after.rules[name] }] as const);
  return { tags: { ...before.tags, ...after.tags }, rules: Object.fromEntries(rules) };
}

/** The annotations for a state; undefined removes one. */
export function annotationsFor({ tags, rules }: LastApplied): Readonly<Record<string, string | undefined>> {
  const groups = Object.fromEntries(
    Object.entries(rules).filter(([, group]) => Object.keys(group).length > 0),
  );
  return { [TAGS_ANNOTATION]: textFor(tags), [RULES_ANNOTATION]: textFor(groups) };
}

function textFor(value: object): string | undefined {
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  // Sorted keys, so that the same content is always the same text and causes no write.
  return JSON.stringify(ordered(value));
}

function ordered(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(fields.map(([name, field]) => [name, ordered(field)]));
}

function jsonIn(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return isJsonObject(value) ? value : {};
  } catch {
    // A user edited it; without the record, nothing is removed.
    return {};
  }
}

function textsIn(value: Readonly<Record<string, unknown>>): Tags {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]): [string, string][] =>
      typeof text === "string" ? [[name, text]] : [],
    ),
  );
}

function descriptionOf(properties: unknown): string {
  const description = isJsonObject(properties) ? properties["description"] : undefined;
  return typeof description === "string" ? description : "";
}
