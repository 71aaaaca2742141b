import type { Frozen, Node, Pod, PodCondition } from "@capstan/api";

type Reporting = Pick<Frozen<Pod> | Frozen<Node>, "status">;

/** The Ready condition of a pod or node. */
export function readiness(object: Reporting): Frozen<PodCondition> | undefined {
  return object.status?.conditions?.find(({ type }) => type === "Ready");
}

/** Whether a pod or node says that it is Ready; one that is not there is not. */
export function isReady(object: Reporting | undefined): boolean {
  return object !== undefined && readiness(object)?.status === "True";
}

/** Whether a node takes no new pods. */
export function isCordoned(node: Frozen<Node> | undefined): boolean {
  return node?.spec?.unschedulable === true;
}
