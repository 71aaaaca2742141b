import {
  type Cluster,
  type Frozen,
  getCondition,
  KubeadmControlPlane,
  MachineDeployment,
  MachinePool,
  Cluster as ClusterKind,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { hasTrouble, type Reporter, troubleOf } from "../describe/trouble.ts";

/** Clusters, and the objects that own their machines. */
export interface Fleet {
  readonly clusters: readonly Frozen<Cluster>[];
  readonly controlPlanes: readonly MachineOwner[];
  /** MachinePools and MachineDeployments. */
  readonly workers: readonly MachineOwner[];
}

/** What MachinePools, MachineDeployments and control planes have in common. */
interface MachineOwner {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly clusterName?: string; readonly replicas?: number };
  readonly status?: (Reporter["status"] & { readonly readyReplicas?: number }) | undefined;
}

/** Reads the clusters of a namespace, or of all. */
export async function fleetIn(client: Client, scope: { readonly namespace?: string }): Promise<Fleet> {
  const [clusters, controlPlanes, pools, deployments] = await Promise.all([
    client.list(ClusterKind, scope),
    client.list(KubeadmControlPlane, scope),
    client.list(MachinePool, scope),
    client.list(MachineDeployment, scope),
  ]);
  return { clusters, controlPlanes, workers: [...pools, ...deployments] };
}

/** How a namespaced name is written as one key. */
export function placeOf(namespace: string | undefined, name: string | undefined): string {
  return `${namespace}/${name}`;
}

/** Ready and desired machines. */
export interface ReadyCount {
  readonly ready: number;
  readonly desired: number;
}

/** A cluster with what is said of it in one line. */
export interface ClusterFacts {
  readonly cluster: Frozen<Cluster>;
  readonly controlPlane: MachineOwner | undefined;
  readonly workers: readonly MachineOwner[];
  /** Absent for control planes that run no machines of ours. */
  readonly controlPlaneCount: ReadyCount | undefined;
  /** Absent without workers. */
  readonly workerCount: ReadyCount | undefined;
  readonly available: "True" | "False" | "Unknown";
  /** Whether a user must do something. */
  readonly needsUser: boolean;
  /** Why the cluster is not available, or what needs a user although it is. */
  readonly message: string;
}

/** What is said of each cluster of a fleet in one line. */
export function factsOfFleet(
  { clusters, controlPlanes, workers }: Fleet,
  nowMs: number,
): readonly ClusterFacts[] {
  const byName = new Map(
    controlPlanes.map((one) => [placeOf(one.metadata.namespace, one.metadata.name), one]),
  );
  const byCluster = Map.groupBy(workers, ({ metadata, spec }) =>
    placeOf(metadata.namespace, spec.clusterName),
  );
  return clusters.map((cluster) => {
    const { name, namespace } = cluster.metadata;
    return clusterFacts(
      {
        cluster,
        controlPlane: byName.get(placeOf(namespace, cluster.spec.controlPlaneRef?.name)),
        workers: byCluster.get(placeOf(namespace, name)) ?? [],
      },
      nowMs,
    );
  });
}

/** The same for one cluster. */
export function clusterFacts(
  parts: Pick<ClusterFacts, "cluster" | "controlPlane" | "workers">,
  nowMs: number,
): ClusterFacts {
  const { cluster, controlPlane, workers } = parts;
  const owners = [...(controlPlane ? [controlPlane] : []), ...workers];
  const available = getCondition(cluster.status?.conditions, "Available")?.status ?? "Unknown";
  return {
    ...parts,
    controlPlaneCount: controlPlane && readyOfAll([controlPlane]),
    workerCount: workers.length === 0 ? undefined : readyOfAll(workers),
    available,
    needsUser: [cluster, ...owners].some((one) => hasTrouble(one, nowMs)),
    message: messageOf(cluster, owners, nowMs),
  };
}

function readyOfAll(owners: readonly MachineOwner[]): ReadyCount {
  const sum = (count: (owner: MachineOwner) => number | undefined): number =>
    owners.reduce((total, owner) => total + (count(owner) ?? 0), 0);
  return {
    ready: sum(({ status }) => status?.readyReplicas),
    desired: sum(({ spec }) => spec.replicas ?? 1),
  };
}

/** Why the cluster is not available, or which of its owners of machines needs a user although it is. */
function messageOf(cluster: Frozen<Cluster>, owners: readonly MachineOwner[], nowMs: number): string {
  const { conditions } = cluster.status ?? {};
  // A pass that failed says more than the state that it could not change.
  const condition = getCondition(conditions, "Reconciled") ?? getCondition(conditions, "Available");
  if (condition && condition.status !== "True") return condition.message;
  const [first = ""] = owners.flatMap((owner) => {
    const trouble = troubleOf(owner, nowMs);
    return trouble
      ? [`${owner.kind} ${owner.metadata.name}: ${trouble.message ?? trouble.reason ?? ""}`]
      : [];
  });
  return first;
}
