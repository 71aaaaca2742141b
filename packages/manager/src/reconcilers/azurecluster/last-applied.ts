import { isJsonObject } from "@capstan/api";
import type { ClusterSpecView } from "../../azure-cluster/spec-view.ts";
import { rulesBySecurityGroup } from "./security-rules.ts";
import type { Tags } from "../../azure-cluster/tags.ts";

/** What was written to Azure on the user's behalf: what leaves the spec is taken away there, and nothing else. */
export interface LastApplied {
  readonly tags: Tags;
  /** The rules of each security group, with their descriptions. */
  readonly rules: Readonly<Record<string, Tags>>;
}

type Annotations = Readonly<Record<string, string>>;

// CAPZ's own, so that a cluster can go from one to the other without leaving anything behind.
const TAGS_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-tags-rg";
const RULES_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-last-applied-security-rules";

/** What the annotations of a cluster remember. */
export function lastAppliedIn(annotations: Annotations = {}): LastApplied {
  const rules = Object.entries(jsonIn(annotations[RULES_ANNOTATION]));
  return {
    tags: textsIn(jsonIn(annotations[TAGS_ANNOTATION])),
    rules: Object.fromEntries(
      rules.map(([name, group]) => [name, textsIn(isJsonObject(group) ? group : {})]),
    ),
  };
}

/** What is written when everything is as the spec says. */
export function applied(plan: ClusterSpecView): LastApplied {
  const groups = rulesBySecurityGroup(plan).map(({ name, rules }) => {
    const texts = rules.map((rule) => [String(rule["name"]), descriptionOf(rule["properties"])]);
    return [name, Object.fromEntries(texts) as Tags] as const;
  });
  return { tags: plan.spec.additionalTags ?? {}, rules: Object.fromEntries(groups) };
}

/** What has to be remembered before anything is written: what there was, and what will be. */
export function joined(before: LastApplied, after: LastApplied): LastApplied {
  const names = new Set([...Object.keys(before.rules), ...Object.keys(after.rules)]);
  const rules = [...names].map((name) => [name, { ...before.rules[name], ...after.rules[name] }] as const);
  return { tags: { ...before.tags, ...after.tags }, rules: Object.fromEntries(rules) };
}

/** The annotations that remember it; undefined takes one away. */
export function annotationsFor({ tags, rules }: LastApplied): Readonly<Record<string, string | undefined>> {
  const groups = Object.fromEntries(
    Object.entries(rules).filter(([, group]) => Object.keys(group).length > 0),
  );
  return { [TAGS_ANNOTATION]: textFor(tags), [RULES_ANNOTATION]: textFor(groups) };
}

function textFor(value: object): string | undefined {
  const names = Object.keys(value);
  if (names.length === 0) return undefined;
  // Keys in order, so that the same content is always the same text and is written once.
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
    // Somebody edited it; without a memory nothing is taken away.
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
