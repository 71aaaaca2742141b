import { BLOCK_MOVE_ANNOTATION, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { Client, Editable } from "@capstan/runtime";

/** Makes `clusterctl move` wait until Azure Service Operator no longer reconciles the resources of an object. */
export function blockMove({ metadata }: Editable<KubernetesObject>): void {
  metadata.annotations = { ...metadata.annotations, [BLOCK_MOVE_ANNOTATION]: "true" };
}

/** Lets `clusterctl move` take an object along. */
export async function allowMove<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  { metadata: { name, namespace, annotations } }: Frozen<KubernetesObject>,
): Promise<void> {
  if (annotations?.[BLOCK_MOVE_ANNOTATION] === undefined) return;
  const body = { metadata: { annotations: { [BLOCK_MOVE_ANNOTATION]: null } } };
  await client.patch(kind, { name, namespace }, { type: "merge", body });
}
