import { type Frozen, groupOf, type KubernetesObject, MachinePool } from "@capstan/api";
import type { CacheReader } from "@capstan/runtime";

/** The MachinePool that owns a pool of Azure or AKS; undefined while it has none, or if its owner is gone. */
export function machinePoolOf(
  cache: CacheReader,
  { metadata }: Pick<Frozen<KubernetesObject>, "metadata">,
): Frozen<MachinePool> | undefined {
  const { namespace, ownerReferences = [] } = metadata;
  const owner = ownerReferences.find(
    ({ kind, apiVersion }) => kind === MachinePool.kind && groupOf(apiVersion) === MachinePool.group,
  );
  return owner && cache.get(MachinePool, { name: owner.name, namespace });
}
