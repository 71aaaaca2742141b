import {
  type Cluster,
  type Frozen,
  type KubernetesObject,
  type LabelSelectorLike,
  MachineDrainRule,
  type Pod,
  selectorMatches,
  selectorOf,
} from "@capstan/api";
import { type CacheReader, index } from "@capstan/runtime";

type Rule = Frozen<MachineDrainRule>;
type Labels = Readonly<Record<string, string>> | undefined;

const BY_NAMESPACE = "drain-rules-of-namespace";

/** The MachineDrainRules of a namespace; a reconciler that calls `drainRulesOf` registers this index. */
export const drainRulesByNamespace = index(MachineDrainRule, BY_NAMESPACE, ({ metadata }) => [
  metadata.namespace ?? "",
]);

/** The MachineDrainRules for a machine, in the order in which they are tried: by name. */
export function drainRulesOf(
  cache: CacheReader,
  machine: Frozen<KubernetesObject>,
  cluster: Frozen<Cluster> | undefined,
): readonly Rule[] {
  const value = machine.metadata.namespace ?? "";
  return cache
    .list(MachineDrainRule, { index: BY_NAMESPACE, value })
    .filter((rule) => isFor(rule, machine.metadata.labels, cluster?.metadata.labels))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function isFor({ spec: { machines } }: Rule, labels: Labels, clusterLabels: Labels): boolean {
  return (
    !machines ||
    machines.some((one) => matches(one.selector, labels) && matches(one.clusterSelector, clusterLabels))
  );
}

/** The first rule for a pod; undefined if there is none. */
export function ruleOf(
  rules: readonly Rule[],
  pod: Frozen<Pod>,
  namespaces: ReadonlyMap<string, Labels>,
): Rule | undefined {
  const { labels, namespace = "" } = pod.metadata;
  return rules.find(
    ({ spec: { pods } }) =>
      !pods ||
      pods.some(
        (one) => matches(one.selector, labels) && matches(one.namespaceSelector, namespaces.get(namespace)),
      ),
  );
}

/** Whether a rule needs the labels of namespaces. */
export function needsNamespaces(rules: readonly Rule[]): boolean {
  return rules.some(({ spec }) => spec.pods?.some(({ namespaceSelector }) => namespaceSelector) ?? false);
}

function matches(selector: LabelSelectorLike | undefined, labels: Labels): boolean {
  return selector === undefined || selectorMatches(selectorOf(selector), labels);
}
