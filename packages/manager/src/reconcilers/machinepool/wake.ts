import { MachinePool } from "@capstan/api";
import { keyOf, type Runner } from "@capstan/runtime";
import type { WorkloadClusters } from "../../workload/workload-clusters.ts";
import { BY_PROVIDER_ID, CONTROLLER } from "./reconciler.ts";

/** Wakes pools as soon as one of their Nodes changes; without it they look again every half minute. */
export function wakePools(
  workloads: Pick<WorkloadClusters, "onNodeChange">,
  { cache, controllers }: Pick<Runner, "cache" | "controllers">,
): void {
  const pools = controllers.find(({ name }) => name === CONTROLLER);
  workloads.onNodeChange((cluster, providerIDs) => {
    const { store } = cache.informer(MachinePool);
    const concerned = providerIDs
      .flatMap((value) => store.byIndex(BY_PROVIDER_ID, value))
      .filter(
        ({ metadata, spec }) => spec.clusterName === cluster.name && metadata.namespace === cluster.namespace,
      );
    for (const pool of new Set(concerned)) pools?.queue.add(keyOf(pool));
  });
}
