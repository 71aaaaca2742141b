import { type Frozen, Node } from "@capstan/api";
import type { Client } from "@capstan/runtime";

/** Annotation of a Node: it is we who keep pods off it, and so who lets them on again should it stay. */
export const CORDONED_ANNOTATION = "capstan.dev/cordoned";

/** Keeps new pods off a Node; says whether that was to be done. What somebody else cordoned stays theirs. */
export async function cordon(client: Client, node: Frozen<Node>): Promise<boolean> {
  if (node.spec?.unschedulable === true) return false;
  const body = {
    metadata: { annotations: { [CORDONED_ANNOTATION]: "true" } },
    spec: { unschedulable: true },
  };
  await client.patch(Node, { name: node.metadata.name }, { type: "merge", body });
  return true;
}

/** Lets pods on a Node again, if it is we who keep them off; says whether that was to be done. */
export async function uncordon(client: Client, node: Frozen<Node>): Promise<boolean> {
  if (!isCordonedByUs(node)) return false;
  const body = { metadata: { annotations: { [CORDONED_ANNOTATION]: null } }, spec: { unschedulable: null } };
  await client.patch(Node, { name: node.metadata.name }, { type: "merge", body });
  return true;
}

/** Whether it is we who keep pods off the Node. */
export function isCordonedByUs({ metadata, spec }: Frozen<Node>): boolean {
  return spec?.unschedulable === true && metadata.annotations?.[CORDONED_ANNOTATION] !== undefined;
}
