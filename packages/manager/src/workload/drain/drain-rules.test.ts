import type { Frozen, MachineDrainRule } from "@capstan/api";
import type { CacheReader } from "@capstan/runtime";
import { cluster, machine, pod } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { drainRulesOf, needsNamespaces, ruleOf } from "./drain-rules.ts";

type Spec = Omit<MachineDrainRule["spec"], "drain">;

function rule(name: string, spec: Spec = {}): MachineDrainRule {
  const metadata = { name, namespace: "fleet" };
  const apiVersion = "cluster.x-k8s.io/v1beta1";
  return { apiVersion, kind: "MachineDrainRule", metadata, spec: { drain: { behavior: "Skip" }, ...spec } };
}

function namesFor(rules: readonly MachineDrainRule[]): readonly string[] {
  const cache = { list: () => rules } as unknown as CacheReader;
  const owner = cluster({ metadata: { name: "c", labels: { tier: "prod" } } });
  const one = machine({ metadata: { name: "m", namespace: "fleet", labels: { pool: "a" } } });
  return drainRulesOf(cache, one, owner).map(({ metadata }) => metadata.name);
}

const isA = { matchLabels: { pool: "a" } };
const isProd = { matchLabels: { tier: "prod" } };
const isTest = { matchLabels: { tier: "test" } };

test("the rules for a machine are those that select it and its cluster, by name", () => {
  const rules = [
    rule("z-all"),
    rule("b-both", { machines: [{ selector: isA, clusterSelector: isProd }] }),
    rule("a-other-cluster", { machines: [{ selector: isA, clusterSelector: isTest }] }),
    rule("c-one-of-two", { machines: [{ clusterSelector: isTest }, { selector: isA }] }),
  ];
  expect(namesFor(rules)).toEqual(["b-both", "c-one-of-two", "z-all"]);
});

test("a rule with a selector of namespaces needs their labels, and a namespace without labels does not match", () => {
  const rules: readonly Frozen<MachineDrainRule>[] = [rule("r", { pods: [{ namespaceSelector: isProd }] })];
  const one = pod({ metadata: { name: "p", namespace: "shop" } });
  expect(needsNamespaces(rules)).toBe(true);
  expect(needsNamespaces([rule("r", { pods: [{ selector: isA }] })])).toBe(false);
  expect(ruleOf(rules, one, new Map([["shop", { tier: "prod" }]]))).toBe(rules[0]);
  expect(ruleOf(rules, one, new Map())).toBeUndefined();
});
