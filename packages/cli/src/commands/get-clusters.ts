import { humanDuration } from "@capstan/apiserver";
import { Cluster, type Condition, type Frozen, MachinePool } from "@capstan/api";
import { withUserClient } from "../cluster/user-access.ts";
import type { UserAccess } from "../cluster/user-kubeconfig.ts";
import { EXIT } from "../exit-codes.ts";
import { type OutputForm, printed } from "../render/output.ts";
import { table } from "../render/table.ts";
import type { Shell } from "../shell.ts";

/** Which clusters, and how they are printed. */
export interface GetClustersOptions {
  readonly access: UserAccess;
  /** Whether to list the clusters of all namespaces. */
  readonly isEverywhere: boolean;
  readonly output: OutputForm;
}

/** `capstan get clusters`: the clusters of a management cluster, with the machines of their pools. */
export async function getClusters(
  shell: Shell,
  { access, isEverywhere, output }: GetClustersOptions,
): Promise<number> {
  const seen = await withUserClient(shell, access, async (client, { now, namespace }) => {
    const scope = isEverywhere ? {} : { namespace };
    const [clusters, pools] = [await client.list(Cluster, scope), await client.list(MachinePool, scope)];
    return { clusters, pools, namespace, nowMs: now() };
  });
  const { clusters, pools, nowMs } = seen;
  if (clusters.length === 0 && output === undefined) {
    shell.err.write(`No clusters found${isEverywhere ? "" : ` in namespace ${seen.namespace}`}.\n`);
    return EXIT.done;
  }
  const heads = [
    ...(isEverywhere ? ["NAMESPACE"] : []),
    "NAME",
    "PHASE",
    "READY",
    "POOLS",
    "MACHINES",
    "AGE",
  ];
  const list = { apiVersion: "v1", kind: "List", items: clusters };
  const rows = clusters.map((cluster) => rowOf(cluster, pools, { isEverywhere, nowMs }));
  shell.out.write(await printed(list, output, () => table(heads, rows)));
  return EXIT.done;
}

function rowOf(
  { metadata, status }: Frozen<Cluster>,
  pools: readonly Frozen<MachinePool>[],
  { isEverywhere, nowMs }: { readonly isEverywhere: boolean; readonly nowMs: number },
): string[] {
  const { name, namespace = "", creationTimestamp = "" } = metadata;
  const own = pools.filter(
    ({ metadata: pool, spec }) => spec.clusterName === name && pool.namespace === namespace,
  );
  const sum = (count: (pool: Frozen<MachinePool>) => number | undefined): number =>
    own.reduce((total, pool) => total + (count(pool) ?? 0), 0);
  const machines = `${sum((pool) => pool.status?.readyReplicas)}/${sum(({ spec }) => spec.replicas ?? 1)}`;
  return [
    ...(isEverywhere ? [namespace] : []),
    name,
    status?.phase ?? "",
    readyOf(status?.conditions ?? []),
    String(own.length),
    machines,
    humanDuration(nowMs - Date.parse(creationTimestamp)),
  ];
}

function readyOf(conditions: readonly Condition[]): string {
  return conditions.find(({ type }) => type === "Ready")?.status ?? "Unknown";
}
