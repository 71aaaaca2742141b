import {
  AzureMachinePool,
  Cluster,
  type Frozen,
  KubeadmControlPlane,
  type KubernetesObject,
  MachineDeployment,
  MachinePool,
  resolveRolloutBudget,
} from "@capstan/api";
import type { FleetHead, FleetRow, Tone, ViewState } from "@capstan/page";
import { clusterFacts, type ClusterFacts, placeOf } from "../../fleet/cluster-facts.ts";
import { onOneLine } from "../../render/one-line.ts";
import type { LiveView } from "../live/follow-view.ts";
import { clusterNameOf, type LiveObjects, type ObjectChange } from "../live/live-objects.ts";
import { versionSpan } from "./versions.ts";

interface FleetOptions {
  readonly live: LiveObjects;
  readonly now: () => number;
  readonly head: () => FleetHead;
}

// A start counts as trouble after minutes: conditions are judged by the time, too.
const REFRESH_MS = 30_000;

const KINDS: ReadonlySet<string> = new Set(
  [Cluster, KubeadmControlPlane, MachinePool, MachineDeployment, AzureMachinePool].map(({ kind }) => kind),
);

/** One row for each cluster. After a change only the rows that it is about are made again. */
export function fleetView({ live, now, head }: FleetOptions): LiveView {
  const rows = new Map<string, FleetRow>();
  const stale = new Set<string>();
  let readAtMs = Number.NEGATIVE_INFINITY;
  const readRow = (cluster: Frozen<Cluster>): void => {
    const row = fleetRow(live, cluster, now());
    rows.set(row.key, row);
  };
  return {
    refreshMs: REFRESH_MS,
    note: ({ kind, object }: ObjectChange) => {
      const name = KINDS.has(kind.kind) ? clusterOf(kind.kind, object) : undefined;
      if (name !== undefined) stale.add(placeOf(object.metadata.namespace, name));
      return name !== undefined;
    },
    read: (): ViewState<FleetHead, FleetRow> => {
      if (now() - readAtMs >= REFRESH_MS) {
        readAtMs = now();
        rows.clear();
        for (const cluster of live.list(Cluster)) readRow(cluster);
      } else {
        for (const key of stale) {
          const cluster = live.get(Cluster, key);
          if (cluster) readRow(cluster);
          else rows.delete(key);
        }
      }
      stale.clear();
      return { head: head(), rows: [...rows.values()] };
    },
  };
}

function clusterOf(kind: string, object: Frozen<KubernetesObject>): string | undefined {
  return kind === Cluster.kind ? object.metadata.name : clusterNameOf(object);
}

function fleetRow(live: LiveObjects, cluster: Frozen<Cluster>, nowMs: number): FleetRow {
  const { name, namespace = "", creationTimestamp = "" } = cluster.metadata;
  const parts = partsOf(live, cluster);
  const { controlPlane, pools, deployments, images } = parts;
  const facts = clusterFacts({ cluster, controlPlane, workers: [...pools, ...deployments] }, nowMs);
  const budgetLeft = budgetLeftOf(parts);
  const imageMs = oldestImage(images);
  return {
    key: placeOf(namespace, name),
    namespace,
    name,
    phase: cluster.status?.phase ?? "",
    tone: toneOf(facts),
    createdMs: Date.parse(creationTimestamp),
    ...(facts.controlPlaneCount && { controlPlane: facts.controlPlaneCount }),
    workers: facts.workerCount ?? { ready: 0, desired: 0 },
    versions: versionsOf(parts),
    ...(imageMs !== undefined && { imageMs }),
    rollouts: rolloutsOf([...(controlPlane ? [controlPlane] : []), ...pools, ...deployments]),
    ...(budgetLeft !== undefined && { budgetLeft }),
    needs: onOneLine(facts.message, LONGEST_NEED),
    needsUser: facts.needsUser,
  };
}

// Two lines of a wide window; the view of the cluster has the rest.
const LONGEST_NEED = 300;

/** The objects that a row is about. */
interface Parts {
  readonly controlPlane: Frozen<KubeadmControlPlane> | undefined;
  readonly pools: readonly Frozen<MachinePool>[];
  readonly deployments: readonly Frozen<MachineDeployment>[];
  readonly images: readonly Frozen<AzureMachinePool>[];
}

function partsOf(live: LiveObjects, { metadata, spec }: Frozen<Cluster>): Parts {
  const place = { namespace: metadata.namespace ?? "", name: metadata.name };
  const { name: controlPlane } = spec.controlPlaneRef ?? {};
  return {
    controlPlane:
      controlPlane === undefined
        ? undefined
        : live.get(KubeadmControlPlane, placeOf(place.namespace, controlPlane)),
    pools: live.ofCluster(MachinePool, place),
    deployments: live.ofCluster(MachineDeployment, place),
    images: live.ofCluster(AzureMachinePool, place),
  };
}

function versionsOf({ controlPlane, pools, deployments }: Parts): FleetRow["versions"] {
  const workers = [...pools, ...deployments].map(({ spec }) => spec.template.spec.version);
  return versionSpan([controlPlane?.spec.version, ...workers].filter((version) => version !== undefined));
}

function toneOf({ available, needsUser }: ClusterFacts): Tone {
  if (needsUser) return "bad";
  if (available === "True") return "good";
  return available === "False" ? "waiting" : "unknown";
}

interface Counted {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly replicas?: number };
  readonly status?: { readonly upToDateReplicas?: number; readonly availableReplicas?: number } | undefined;
}

function rolloutsOf(owners: readonly Counted[]): FleetRow["rollouts"] {
  return owners.flatMap(({ kind, metadata, spec, status }) => {
    const { replicas: desired = 1 } = spec;
    const { upToDateReplicas: upToDate = 0, availableReplicas: available = 0 } = status ?? {};
    if (upToDate >= desired && available >= desired) return [];
    return [{ kind, name: metadata.name, upToDate, desired }];
  });
}

type Limits = { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };

function limitsOfPool(
  pool: Frozen<MachinePool>,
  images: readonly Frozen<AzureMachinePool>[],
): Limits | undefined {
  const { kind, name } = pool.spec.template.spec.infrastructureRef;
  if (kind !== AzureMachinePool.kind) return undefined;
  return images.find(({ metadata }) => metadata.name === name)?.spec.strategy?.rollingUpdate;
}

/** How many machines the group that can spare the fewest may do without. */
function budgetLeftOf({ pools, deployments, images }: Parts): number | undefined {
  const left = [
    ...pools.map((pool) => sparedBy(pool, limitsOfPool(pool, images))),
    ...deployments.map((one) => sparedBy(one, one.spec.rollout?.strategy?.rollingUpdate ?? {})),
  ].filter((count) => count !== undefined);
  return left.length === 0 ? undefined : Math.min(...left);
}

/** The defaults of both kinds are one more machine and none unavailable. */
function sparedBy({ spec, status }: Counted, limits: Limits | undefined): number | undefined {
  const { replicas: desired = 1 } = spec;
  if (limits === undefined || desired === 0) return undefined;
  const { maxSurge = 1, maxUnavailable = 0 } = limits;
  const floor = desired - resolveRolloutBudget({ maxSurge, maxUnavailable }, desired).maxUnavailable;
  return Math.max(0, (status?.availableReplicas ?? 0) - floor);
}

function oldestImage(pools: readonly Frozen<AzureMachinePool>[]): number | undefined {
  const times = pools.flatMap(({ status }) =>
    status?.lastImagePrototype === undefined ? [] : [Date.parse(status.lastImagePrototype)],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}
