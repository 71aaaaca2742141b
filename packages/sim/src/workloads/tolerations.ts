import type { Frozen, Node, Taint, Toleration } from "@capstan/api";
import { healthTaint } from "../node-taints.ts";

/** The taints of a node, with the one that the control plane is about to add when it is not Ready. */
function taintsOf(node: Frozen<Node>): readonly Frozen<Taint>[] {
  const taints = node.spec?.taints ?? [];
  const key = healthTaint(node);
  if (key === undefined || taints.some((taint) => taint.key === key)) return taints;
  return [...taints, { key, effect: "NoSchedule" }];
}

/** The first taint that keeps new pods with these tolerations off the node. */
export function repellingTaint(
  node: Frozen<Node>,
  tolerations: readonly Frozen<Toleration>[] = [],
): Frozen<Taint> | undefined {
  return taintsOf(node).find(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}

/** Whether a toleration covers a taint. */
export function tolerates(toleration: Frozen<Toleration>, taint: Frozen<Taint>): boolean {
  if (toleration.effect !== undefined && toleration.effect !== taint.effect) return false;
  if (toleration.key === undefined || toleration.key === "") return toleration.operator === "Exists";
  if (toleration.key !== taint.key) return false;
  return toleration.operator === "Exists" || (toleration.value ?? "") === (taint.value ?? "");
}

/** Whether a node has all labels of a pod's node selector. */
export function matchesSelector(
  node: Frozen<Node>,
  selector: Readonly<Record<string, string>> = {},
): boolean {
  const { labels = {} } = node.metadata;
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
