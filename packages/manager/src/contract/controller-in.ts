import { controllerOf, type Frozen, type Kind, type KubernetesObject } from "@capstan/api";
import type { CacheReader } from "@capstan/runtime";

/** The controller of an object if it is of that kind; compared by UID, so that a new object of the same name does not match. */
export function controllerIn<T extends KubernetesObject>(
  cache: CacheReader,
  object: Frozen<KubernetesObject>,
  kind: Kind<T>,
): Frozen<T> | undefined {
  const owner = controllerOf(object);
  if (owner?.kind !== kind.kind) return undefined;
  const controller = cache.get(kind, { name: owner.name, namespace: object.metadata.namespace });
  return controller?.metadata.uid === owner.uid ? controller : undefined;
}
