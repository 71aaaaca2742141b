import { type Frozen, Node } from "@capstan/api";
import type { Client } from "@capstan/runtime";

/** Annotation of a Node: the controller cordoned it, and so uncordons it if it stays. */
export const CORDONED_ANNOTATION = "capstan.dev/cordoned";

/** Why a Node is cordoned: it goes or is re-imaged, or it is updated in place. */
export type CordonPurpose = "true" | "update-in-place";

/** Cordons a Node; returns whether it changed. A Node that a user cordoned stays the user's. */
export async function cordon(
  client: Client,
  node: Frozen<Node>,
  purpose: CordonPurpose = "true",
): Promise<boolean> {
  if (node.spec?.unschedulable === true) return false;
  const body = {
    metadata: { annotations: { [CORDONED_ANNOTATION]: purpose } },
    spec: { unschedulable: true },
  };
  await client.patch(Node, { name: node.metadata.name }, { type: "merge", body });
  return true;
}

/** Uncordons a Node that the controller cordoned; returns whether it changed. */
export async function uncordon(client: Client, node: Frozen<Node>): Promise<boolean> {
  if (!isCordonedByUs(node)) return false;
  const body = { metadata: { annotations: { [CORDONED_ANNOTATION]: null } }, spec: { unschedulable: null } };
  await client.patch(Node, { name: node.metadata.name }, { type: "merge", body });
  return true;
}

/** Whether the controller cordoned the Node for an update in place. */
export function isCordonedForUpdate(node: Frozen<Node>): boolean {
  const purpose: CordonPurpose = "update-in-place";
  return isCordonedByUs(node) && node.metadata.annotations?.[CORDONED_ANNOTATION] === purpose;
}

/** Whether the controller cordoned the Node. */
export function isCordonedByUs({ metadata, spec }: Frozen<Node>): boolean {
  return spec?.unschedulable === true && metadata.annotations?.[CORDONED_ANNOTATION] !== undefined;
}
