import type { Frozen, Node, Pod, PodCondition } from "@capstan/api";

type Reporting = Pick<Frozen<Pod> | Frozen<Node>, "status">;

/** The Ready condition of a pod or node. */
export function readiness(object: Reporting): Frozen<PodCondition> | undefined {
  return object.status?.conditions?.find(({ type }) => type === "Ready");
}

/** Whether a pod or node is Ready; false for undefined. */
export function isReady(object: Reporting | undefined): boolean {
  return object !== undefined && readiness(object)?.status === "True";
}

/** Whether a node is cordoned. */
export function isCordoned(node: Frozen<Node> | undefined): boolean {
  return node?.spec?.unschedulable === true;
}
