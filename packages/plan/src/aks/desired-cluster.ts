/** The objects of Azure Service Operator that an AKS cluster with its pools should have, patches included. Pure. */
import type { AsoObject, AzureManagedControlPlane, Cluster, Frozen } from "@capstan/api";
import { type Tags, tagsOf } from "../ownership-tags.ts";
import { agentPoolProfile, agentPoolSpec, type ManagedPool } from "./agent-pool.ts";
import { managedClusterSpec } from "./managed-cluster.ts";
import { applyPatches } from "./patches/apply-patches.ts";

/** The annotation by which a user hands an existing AKS cluster to its Cluster. */
export const ADOPT_ANNOTATION = "sigs.k8s.io/cluster-api-provider-azure-adopt";
/** The field with the patches of a cluster. */
export const CLUSTER_PATCHES = "spec.asoManagedClusterPatches";
/** The field with the patches of a pool. */
export const POOL_PATCHES = "spec.asoManagedClustersAgentPoolPatches";

/** An AKS cluster as its manifests describe it. */
export interface DescribedCluster {
  readonly controlPlane: Frozen<AzureManagedControlPlane>;
  readonly cluster: Frozen<Cluster>;
  /** Its pools, sorted by name. */
  readonly pools: readonly ManagedPool[];
  readonly subscriptionID: string;
  /** The ManagedCluster as it is now. */
  readonly observed?: Frozen<AsoObject> | undefined;
  /** Whether the AKS cluster existed before and keeps its tags; without it, the annotation decides. */
  readonly isAdopted?: boolean;
}

/** The computed spec of the ManagedCluster, before its own patches; or which patch of a pool cannot be applied. */
export type ClusterSpec = { readonly spec: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** Computes the spec of the ManagedCluster. The patches of a pool apply to its profile too. */
export function clusterSpecOf(described: DescribedCluster): ClusterSpec {
  const { controlPlane, cluster, observed } = described;
  const profiles: Readonly<Record<string, unknown>>[] = [];
  for (const pool of described.pools) {
    const profile = profileOf(described, pool);
    if ("problem" in profile) return profile;
    profiles.push(profile.spec);
  }
  const tags = clusterTags(described);
  return { spec: managedClusterSpec({ controlPlane, cluster, tags, observed, pools: profiles }) };
}

function profileOf(
  { controlPlane, subscriptionID }: DescribedCluster,
  { pool, machinePool }: ManagedPool,
): ClusterSpec {
  const spec = agentPoolSpec({
    pool,
    machinePool,
    controlPlane,
    controlPlaneVersion: controlPlane.spec.version,
    subscriptionID,
    tags: pool.spec.additionalTags ?? {},
  });
  const metadata = { name: pool.metadata.name, namespace: "", labels: {}, annotations: {} };
  const patches = pool.spec.asoManagedClustersAgentPoolPatches ?? [];
  const result = applyPatches({ apiVersion: "", kind: "", metadata, spec }, patches);
  if ("object" in result) return { spec: agentPoolProfile(result.object.spec) };
  const { index, message } = result.problem;
  return { problem: `AzureManagedMachinePool ${pool.metadata.name}: ${POOL_PATCHES}[${index}]: ${message}` };
}

/** Whether the user hands an existing AKS cluster over. */
export function isAdopted({ metadata }: Frozen<AzureManagedControlPlane>): boolean {
  return metadata.annotations?.[ADOPT_ANNOTATION] === "true";
}

/** An adopted cluster keeps the tags that it has: tags of ownership would be a write to Azure. */
function clusterTags({ controlPlane, cluster, ...described }: DescribedCluster): Tags {
  return (described.isAdopted ?? isAdopted(controlPlane))
    ? (controlPlane.spec.additionalTags ?? {})
    : ownedTags(controlPlane, cluster.metadata.name);
}

/** The tags of the resources of a cluster. */
export function ownedTags({ metadata, spec }: Frozen<AzureManagedControlPlane>, clusterName: string): Tags {
  const clusterKey = `${metadata.namespace ?? ""}/${clusterName}`;
  return tagsOf({ clusterName, clusterKey, additionalTags: spec.additionalTags ?? {} }, "common");
}
