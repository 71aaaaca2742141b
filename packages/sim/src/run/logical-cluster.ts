import { managedClustersNamed } from "../managed-clusters/managed-clusters.ts";
import type { World } from "../world/world.ts";

/** The logical cluster that a scenario means by the name of a cluster: that of a Cluster, or of an AKS cluster. */
export function logicalClusterNamed(world: World, name: string): string {
  const names = world.workloadNames();
  const [managed] = names.includes(name) ? [] : managedClustersNamed(name, names);
  return managed ?? name;
}
