import type { AzureClusterIdentity } from "@capstan/api";
import { expect, test } from "vitest";
import { namespaceProblem } from "./allowed-namespaces.ts";
import { identity } from "./identity.fixture.ts";

type Allowed = AzureClusterIdentity["spec"]["allowedNamespaces"];

const problem = (allowed: Allowed, labels: Record<string, string> = {}): string | undefined => {
  const { allowedNamespaces: _, ...spec } = identity().spec;
  const subject = { ...identity(), spec: { ...spec, ...(allowed && { allowedNamespaces: allowed }) } };
  return namespaceProblem(subject, { name: "team-a", labels });
};

test.each<[string, Allowed, Record<string, string>]>([
  ["everybody may", {}, {}],
  ["it is listed", { list: ["other", "team-a"] }, {}],
  ["it is selected", { selector: { matchLabels: { tier: "gold" } } }, { tier: "gold" }],
  [
    "it is listed, though not selected",
    { list: ["team-a"], selector: { matchLabels: { tier: "gold" } } },
    {},
  ],
  [
    "it is selected, though not listed",
    { list: ["other"], selector: { matchLabels: { tier: "gold" } } },
    { tier: "gold" },
  ],
])("a namespace may use an identity when %s", (_, allowed, labels) => {
  expect(problem(allowed, labels)).toBeUndefined();
});

test.each<[string, Allowed, RegExp]>([
  [
    "allowedNamespaces is not set",
    undefined,
    /spec\.allowedNamespaces of AzureClusterIdentity robot is not set, .* list team-a/,
  ],
  ["the list is empty", { list: [] }, /does not include namespace team-a/],
  ["others are listed", { list: ["team-b"] }, /does not include namespace team-a; add it to the list/],
  ["the selector has no condition", { selector: {} }, /does not include namespace team-a/],
  [
    "its labels differ",
    { selector: { matchLabels: { tier: "silver" } } },
    /does not include namespace team-a/,
  ],
  [
    "the selector is invalid",
    { selector: { matchExpressions: [{ key: "a", operator: "Like" }] } },
    /is invalid: "Like"/,
  ],
])("a namespace may not use an identity when %s", (_, allowed, message) => {
  expect(problem(allowed, { tier: "gold" })).toMatch(message);
});
