import type { AzureCluster, AzureMachinePool, Frozen } from "@capstan/api";
import { type LazyArm, lazyArm } from "@capstan/azure";
import type { Context } from "@capstan/runtime";
import { armClientFor, type AzureClientPorts, subscriptionOf } from "../azure-cluster/arm-client.ts";
import { clusterGroupOf, clusterPlanOf, type ClusterSpecView, groupID } from "../azure-cluster/spec-view.ts";

/** Where the scale set of a pool is, and the client for it. */
export interface AzureTarget extends LazyArm {
  readonly plan: ClusterSpecView;
  readonly scaleSetID: string;
  readonly location: string;
  /** Namespace and name of the pool, for the tag of its scale set. */
  readonly poolKey: string;
}

/** The owner of a scale set, and the controller that works on it. */
interface TargetFacts {
  /** The name of the controller, in metrics and towards Azure. */
  readonly controller: string;
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName: string;
}

/** Where the scale set of a pool is, and a client for it that has not connected yet. */
export function azureTargetOf(
  ports: AzureClientPorts,
  { object: pool, cache }: Pick<Context<AzureMachinePool>, "object" | "cache">,
  { azureCluster, clusterName, controller }: TargetFacts,
): AzureTarget {
  const subscriptionID = subscriptionOf(ports, azureCluster);
  const request = { cluster: azureCluster, cache, controller };
  const plan = clusterPlanOf({ azureCluster, clusterName, subscriptionID });
  const { name, namespace } = pool.metadata;
  return {
    ...lazyArm(() => armClientFor(ports, request)),
    plan,
    scaleSetID: scaleSetIDOf(plan, name),
    location: pool.spec.location.replaceAll(" ", "").toLowerCase(),
    poolKey: `${namespace}/${name}`,
  };
}

/** The ARM id of the scale set of a pool; it has the name of its AzureMachinePool, as in CAPZ. */
function scaleSetIDOf(plan: ClusterSpecView, name: string): string {
  return `${groupID(plan, clusterGroupOf(plan))}/providers/Microsoft.Compute/virtualMachineScaleSets/${name}`;
}
