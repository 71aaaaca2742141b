import { humanDuration } from "@capstan/apiserver/human-duration";
import {
  Cluster,
  type Frozen,
  getCondition,
  KubeadmControlPlane,
  MachineDeployment,
  MachinePool,
  type StandardCondition,
} from "@capstan/api";
import type { Client } from "@capstan/runtime";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { onOneLine } from "../render/one-line.ts";
import { type Paint, paintFor } from "../render/paint.ts";
import { table } from "../render/table.ts";
import type { Shell } from "../shell.ts";

/** Which clusters, and how they are printed. */
export interface GetClustersOptions {
  readonly access: UserAccess;
  /** Whether to list the clusters of all namespaces. */
  readonly isEverywhere: boolean;
  readonly output: OutputForm;
}

/** `capstan get clusters`: the clusters of a management cluster, with their machines. */
export async function getClusters(
  shell: Shell,
  { access, isEverywhere, output }: GetClustersOptions,
): Promise<number> {
  const seen = await withUserClient(shell, access, async (client, { now, namespace }) => {
    const scope = isEverywhere ? {} : { namespace };
    return { ...(await fleetIn(client, scope)), namespace, nowMs: now() };
  });
  const { clusters, nowMs } = seen;
  if (clusters.length === 0 && output === undefined) {
    shell.err.write(`No clusters found${isEverywhere ? "" : ` in namespace ${seen.namespace}`}.\n`);
    return EXIT.done;
  }
  const list = { apiVersion: "v1", kind: "List", items: clusters };
  const look = { isEverywhere, nowMs, paint: paintFor(shell.out, shell.variables) };
  shell.out.write(await printed(list, output, () => fleetTable(seen, look)));
  return EXIT.done;
}

/** Clusters, and the objects that own their machines. */
export interface Fleet {
  readonly clusters: readonly Frozen<Cluster>[];
  readonly controlPlanes: readonly Owner[];
  /** MachinePools and MachineDeployments. */
  readonly workers: readonly Owner[];
}

/** What MachinePools, MachineDeployments and control planes have in common. */
interface Owner {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: { readonly clusterName?: string; readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number };
}

async function fleetIn(client: Client, scope: { readonly namespace?: string }): Promise<Fleet> {
  const [clusters, controlPlanes, pools, deployments] = await Promise.all([
    client.list(Cluster, scope),
    client.list(KubeadmControlPlane, scope),
    client.list(MachinePool, scope),
    client.list(MachineDeployment, scope),
  ]);
  return { clusters, controlPlanes, workers: [...pools, ...deployments] };
}

interface Look {
  readonly isEverywhere: boolean;
  readonly nowMs: number;
  readonly paint: Paint;
}

/** One line for each cluster; the last column says why a cluster is not available. */
export function fleetTable({ clusters, controlPlanes, workers }: Fleet, look: Look): string {
  const heads = ["NAME", "PHASE", "AVAILABLE", "CONTROL PLANE", "WORKERS", "AGE", "MESSAGE"];
  const keyOf = (namespace: string | undefined, name: string | undefined): string => `${namespace}/${name}`;
  const byName = new Map(controlPlanes.map((one) => [keyOf(one.metadata.namespace, one.metadata.name), one]));
  const byCluster = Map.groupBy(workers, ({ metadata, spec }) => keyOf(metadata.namespace, spec.clusterName));
  const rows = clusters.map((cluster) => {
    const { name, namespace } = cluster.metadata;
    const controlPlane = byName.get(keyOf(namespace, cluster.spec.controlPlaneRef?.name));
    const own = byCluster.get(keyOf(namespace, name)) ?? [];
    const counts = [readyOfAll(controlPlane ? [controlPlane] : []), readyOfAll(own)];
    return rowOf(cluster, counts, look);
  });
  return table(look.isEverywhere ? ["NAMESPACE", ...heads] : heads, rows);
}

/** Ready and desired machines; control planes that run no machines of ours have none. */
function readyOfAll(owners: readonly Owner[]): string {
  if (owners.length === 0) return "-";
  const sum = (count: (owner: Owner) => number | undefined): number =>
    owners.reduce((total, owner) => total + (count(owner) ?? 0), 0);
  return `${sum(({ status }) => status?.readyReplicas)}/${sum(({ spec }) => spec.replicas ?? 1)}`;
}

// The object has all of a message.
const LONGEST_MESSAGE = 100;

function rowOf(
  cluster: Frozen<Cluster>,
  counts: readonly string[],
  { isEverywhere, nowMs, paint }: Look,
): string[] {
  const { name, namespace = "", creationTimestamp = "" } = cluster.metadata;
  const available = getCondition(cluster.status?.conditions, "Available");
  return [
    ...(isEverywhere ? [namespace] : []),
    name,
    cluster.status?.phase ?? "",
    painted(available, paint),
    ...counts,
    humanDuration(nowMs - Date.parse(creationTimestamp)),
    troubleOf(cluster),
  ];
}

/** A pass that failed says more than the state that it could not change. */
function troubleOf({ status }: Frozen<Cluster>): string {
  const condition =
    getCondition(status?.conditions, "Reconciled") ?? getCondition(status?.conditions, "Available");
  return !condition || condition.status === "True" ? "" : onOneLine(condition.message, LONGEST_MESSAGE);
}

function painted(available: Frozen<StandardCondition> | undefined, paint: Paint): string {
  if (!available || available.status === "Unknown") return paint.warn("Unknown");
  return available.status === "True" ? paint.good("True") : paint.bad("False");
}
