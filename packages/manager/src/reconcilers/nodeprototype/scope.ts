import {
  AzureCluster,
  type AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Features,
  formatTimestamp,
  type Frozen,
  isPausedByAnnotation,
  MachinePool,
  nodePrototypingOf,
  type NodePrototypingStatus,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import type { Client, Context, Editable } from "@capstan/runtime";
import type { AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import { azureClusterNameOf } from "../../azure-cluster/members.ts";
import { ownerOf } from "../../azure-cluster/spec-view.ts";
import { namesOf } from "../../images/names.ts";
import { deadlineOf, IDLE, type PrototypePhase, type PrototypeRecord } from "../../images/record.ts";
import type { Refusals } from "../../workload/drain/refusals.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import { baseKeyOf } from "../../virtual-machine/image-reference.ts";
import { type AzureTarget, azureTargetOf } from "../azuremachinepool/scope.ts";
import type { PrototypeMetrics } from "./metrics.ts";

/** The name of the reconciler, in metrics and towards Azure. */
export const CONTROLLER = "nodeprototype";

/** What the reconciler works with. */
export interface NodePrototypePorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** A client of the workload cluster that may write while this process leads. */
  readonly workloadClient: (cluster: Frozen<Cluster>) => Promise<Client>;
  readonly features: Features;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: NodePrototypePorts;
  readonly refusals: Refusals;
  readonly metrics: PrototypeMetrics;
  /** The clusters in which a pass of this process begins a renewal, by pool: the cache shows it later. */
  readonly claims: Map<string, string>;
}

type Settings = NonNullable<ReturnType<typeof nodePrototypingOf>>;

/** Where the images of a pool are in Azure. */
interface PrototypePlace {
  readonly groupID: string;
  readonly galleryID: string;
  readonly definitionID: string;
  /** The base image and Kubernetes version, as a hash. */
  readonly base: string;
}

/** One pass over the images of one AzureMachinePool. */
export interface Scope {
  readonly context: Context<AzureMachinePool>;
  readonly shared: Shared;
  readonly pool: Editable<AzureMachinePool>;
  readonly poolKey: string;
  readonly machinePool: Frozen<MachinePool> | undefined;
  readonly cluster: Frozen<Cluster> | undefined;
  readonly settings: Settings | undefined;
  /** Why no renewal may begin or go on; undefined while node prototyping is on. */
  readonly offBecause: string | undefined;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** The pool's place in Azure; undefined before its cluster has one. */
  readonly azure: (AzureTarget & PrototypePlace) | undefined;
  /** What the condition says at the end of the pass. */
  note?: { readonly reason: string; readonly why: string; readonly severity?: "Info" | "Warning" | "Error" };
}

/** Finds the owners of a pool and the place of its images, from the cache alone. */
export function buildScope(shared: Shared, context: Context<AzureMachinePool>): Scope {
  const { object: pool, cache } = context;
  const { namespace = "", name, labels = {} } = pool.metadata;
  const clusterName = labels[CLUSTER_NAME_LABEL] ?? "";
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  const azureCluster = cache.get(AzureCluster, azureClusterNameOf(cache, { name: clusterName, namespace }));
  const owner = pool.metadata.ownerReferences?.find(({ kind }) => kind === MachinePool.kind);
  const machinePool = owner && cache.get(MachinePool, { name: owner.name, namespace });
  const settings = nodePrototypingOf(pool);
  return {
    context,
    shared,
    pool,
    poolKey: `${namespace}/${name}`,
    machinePool,
    cluster,
    settings,
    offBecause: whyOff(settings, shared.ports.features),
    isPaused:
      [pool, machinePool].some((one) => one && isPausedByAnnotation(one)) || cluster?.spec.paused === true,
    isDeleting: pool.metadata.deletionTimestamp !== undefined,
    azure: azureCluster && placeOf({ shared, context, azureCluster, clusterName, machinePool }),
  };
}

function whyOff(settings: Settings | undefined, { NodePrototyping }: Features): string | undefined {
  if (!settings) return "spec.template.image.nodePrototyping is not set";
  if (NodePrototyping) return undefined;
  return "spec.template.image.nodePrototyping is set, but the manager runs without the feature gate NodePrototyping; set AZURE_NODE_OS_CACHING=true for it";
}

function placeOf(facts: {
  readonly shared: Shared;
  readonly context: Context<AzureMachinePool>;
  readonly azureCluster: Frozen<AzureCluster>;
  readonly clusterName: string;
  readonly machinePool: Frozen<MachinePool> | undefined;
}): AzureTarget & PrototypePlace {
  const { shared, context, azureCluster, clusterName, machinePool } = facts;
  const { object: pool } = context;
  const target = azureTargetOf(shared, context, { azureCluster, clusterName, controller: CONTROLLER });
  const base = baseKeyOf(pool, machinePool?.spec.template.spec.version ?? "");
  const names = namesOf({ ...ownerOf(target.plan), pool: pool.metadata.name, base });
  const groupID = target.scaleSetID.split("/providers/")[0] ?? "";
  const galleryID = `${groupID}/providers/Microsoft.Compute/galleries/${names.gallery}`;
  return { ...target, groupID, galleryID, definitionID: `${galleryID}/images/${names.definition}`, base };
}

/** Namespace and name of the Cluster of a pool. */
export function clusterKeyOf({ metadata }: Frozen<AzureMachinePool>): string {
  return `${metadata.namespace}/${metadata.labels?.[CLUSTER_NAME_LABEL]}`;
}

/** The record of the renewals of a pool. */
export function recordOf({ pool }: Pick<Scope, "pool">): PrototypeRecord {
  return pool.status?.nodePrototyping ?? IDLE;
}

const NO_DONOR = {
  mode: "Restart",
  machine: "",
  nodeName: "",
  nodeUID: "",
  bootID: "",
  instanceID: "",
  vmID: "",
  osDiskID: "",
  markers: [],
} as const;

const NO_RENEWAL = {
  cycleID: "",
  startedAt: "",
  attempt: 1,
  succeeded: false,
  fingerprint: "",
  history: [],
  timeline: [],
  snapshot: { name: "" },
  imageVersion: { gallery: "", definition: "", version: "" },
} as const;

/** The record of a renewal that runs, in which every part that its steps need has a value. */
export function renewalOf(scope: Pick<Scope, "pool">) {
  const record = recordOf(scope);
  return { ...NO_RENEWAL, ...record, donor: { ...NO_DONOR, ...record.donor } };
}

/** Changes of the record; undefined removes a field. */
type Changes = { readonly [Field in keyof PrototypeRecord]?: PrototypeRecord[Field] | undefined };

/** Changes the record; the change is written at the end of the pass. */
export function change({ pool }: Scope, changes: Changes): void {
  const merged = Object.entries({ ...recordOf({ pool }), ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  pool.status = { ...pool.status, nodePrototyping: Object.fromEntries(merged) as NodePrototypingStatus };
}

/** Changes what the record says about the donor. */
export function changeDonor(scope: Scope, changes: Partial<NonNullable<PrototypeRecord["donor"]>>): void {
  const { donor } = recordOf(scope);
  if (donor) change(scope, { donor: { ...donor, ...changes } });
}

// More than a renewal has steps; retries of steps are not recorded again.
const MOST_STEPS = 16;

/** Moves on to a step. The step is durable before anything is done in it. */
export async function moveTo(scope: Scope, phase: PrototypePhase, changes: Changes = {}): Promise<void> {
  const { context, pool } = scope;
  const nowMs = context.env.clock.now();
  const deadlineMs = deadlineOf(phase, nowMs);
  const { timeline = [] } = recordOf({ pool });
  const step = { step: phase, startedAt: formatTimestamp(nowMs) };
  change(scope, {
    ...changes,
    phase,
    phaseDeadline: deadlineMs === undefined ? undefined : formatTimestamp(deadlineMs),
    timeline: [...(changes.timeline ?? timeline), step].slice(-MOST_STEPS),
  });
  await context.persistStatus();
}
