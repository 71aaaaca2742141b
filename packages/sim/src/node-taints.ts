import { formatTimestamp, type Frozen, type Node, type Taint } from "@capstan/api";
import { readiness } from "./readiness.ts";

/** The taint of a node whose kubelet reports that it is not ready, or has not reported yet. */
export const NOT_READY = "node.kubernetes.io/not-ready";
/** The taint of a node whose kubelet is silent. */
export const UNREACHABLE = "node.kubernetes.io/unreachable";

/** The key of the taints for a node's health; undefined for a Ready one. */
export function healthTaint(node: Frozen<Node>): string | undefined {
  const status = readiness(node)?.status;
  if (status === "True") return undefined;
  return status === "Unknown" ? UNREACHABLE : NOT_READY;
}

/** The taints that a node should have by its health; undefined when it has them. Other taints stay. */
export function taintsByHealth(node: Frozen<Node>, nowMs: number): readonly Frozen<Taint>[] | undefined {
  const taints = node.spec?.taints ?? [];
  const key = healthTaint(node);
  const isRight = (taint: Frozen<Taint>): boolean => taint.key === key;
  const ofHealth = taints.filter((taint) => taint.key === NOT_READY || taint.key === UNREACHABLE);
  const missing = key === undefined ? [] : EFFECTS.filter((effect) => !has(ofHealth, key, effect));
  if (missing.length === 0 && ofHealth.every(isRight)) return undefined;
  const kept = taints.filter((taint) => !ofHealth.includes(taint) || isRight(taint));
  return [...kept, ...missing.map((effect) => taintOf(key ?? "", effect, nowMs))];
}

const EFFECTS = ["NoSchedule", "NoExecute"] as const;

function has(taints: readonly Frozen<Taint>[], key: string, effect: string): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}

/** Only NoExecute taints have a time, because pods tolerate them for a while. */
function taintOf(key: string, effect: (typeof EFFECTS)[number], nowMs: number): Taint {
  return { key, effect, ...(effect === "NoExecute" && { timeAdded: formatTimestamp(nowMs) }) };
}
