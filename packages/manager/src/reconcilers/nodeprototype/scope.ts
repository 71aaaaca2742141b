import {
  type Cluster,
  type Features,
  formatTimestamp,
  type Frozen,
  type Kind,
  type KubernetesObject,
  type nodePrototypingOf,
  type NodePrototypingStatus,
} from "@capstan/api";
import type { Clock } from "@capstan/env";
import { type Client, type Context, type Editable, shortHash } from "@capstan/runtime";
import type { LazyArm } from "@capstan/azure";
import type { AzureClientPorts } from "../../azure-cluster/arm-client.ts";
import { type ClusterSpecView, ownerOf } from "../../azure-cluster/spec-view.ts";
import { deadlineOf, IDLE, prototypeNamesOf, type PrototypePhase, type PrototypeRecord } from "@capstan/plan";
import { Refusals } from "../../workload/drain/refusals.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { Fleet, ImageOwner } from "./fleet/fleet.ts";
import type { PrototypeMetrics } from "./metrics.ts";

/** Digits of a hash in names of Azure resources, and in the share of a pool. */
export const HASH_DIGITS = 8;

/** The name of the controllers of images towards Azure. */
export const CONTROLLER = "nodeprototype";

/** What the reconciler works with. */
export interface NodePrototypePorts extends AzureClientPorts {
  readonly clock: Clock;
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange">;
  /** A client of the workload cluster that may write while this process leads. */
  readonly workloadClient: (cluster: Frozen<Cluster>) => Promise<Client>;
  readonly features: Features;
  /** Whether our controller makes the bootstrap data: no other one answers requests for fresh data. */
  readonly rendersBootstrapData: boolean;
  /** The clusters in which a pass of this process begins a renewal, by owner: the cache shows it later. */
  readonly prototypeClaims: Map<string, string>;
  readonly prototypeMetrics: PrototypeMetrics;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: NodePrototypePorts;
  readonly refusals: Refusals;
  /** When this process first looked after each donor on its way back, by owner and renewal. */
  readonly returns: Map<string, number>;
  /** When this process last looked at the active version of an owner while the next one is published. */
  readonly verified: Map<string, number>;
}

/** What the passes of a new process share. */
export function sharedBy(ports: NodePrototypePorts): Shared {
  return { ports, refusals: new Refusals(ports.clock), returns: new Map(), verified: new Map() };
}

type Settings = NonNullable<ReturnType<typeof nodePrototypingOf>>;

/** Where the images of an owner are in Azure, and the client for them. */
export interface PrototypePlace extends LazyArm {
  readonly plan: ClusterSpecView;
  readonly location: string;
  readonly groupID: string;
  /** The ARM id of a machine is this one, a slash and its instance id. */
  readonly machinesID: string;
  readonly galleryID: string;
  readonly definitionID: string;
  /** The base image and Kubernetes version, as a hash. */
  readonly base: string;
}

/** One pass over the images of one pool or template. */
export interface Scope {
  readonly context: Omit<Context<KubernetesObject>, "object">;
  readonly shared: Shared;
  readonly owner: Editable<ImageOwner>;
  readonly ownerKind: Kind;
  /** The name of the owner in metrics, tags and claims. */
  readonly ownerKey: string;
  readonly fleet: Fleet;
  readonly cluster: Frozen<Cluster> | undefined;
  /** Namespace and name of the Cluster. */
  readonly clusterKey: string;
  readonly settings: Settings | undefined;
  /** Why no renewal may begin or go on; undefined while node prototyping is on. */
  readonly offBecause: string | undefined;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** The owner's place in Azure; undefined before its cluster has one. */
  readonly azure: PrototypePlace | undefined;
  /** What the condition says at the end of the pass. */
  note?: { readonly reason: string; readonly why: string; readonly severity?: "Info" | "Warning" | "Error" };
}

/** Why an owner with these settings renews nothing; undefined if it does. */
export function whyOff(
  settings: Settings | undefined,
  { NodePrototyping }: Features,
  field: string,
): string | undefined {
  if (!settings) return `${field} is not set`;
  if (NodePrototyping) return undefined;
  return `${field} is set, but the manager runs without the feature gate NodePrototyping; set AZURE_NODE_OS_CACHING=true for it`;
}

/** Where the owner's images are, below the resource group of its machines. */
export function imagesIn(
  target: Pick<PrototypePlace, "plan" | "groupID" | "base">,
  name: string,
): Pick<PrototypePlace, "galleryID" | "definitionID"> {
  const { clusterName, clusterKey } = ownerOf(target.plan);
  const names = prototypeNamesOf({
    clusterName,
    clusterHash: shortHash(clusterKey, HASH_DIGITS),
    pool: name,
    base: target.base,
  });
  const galleryID = `${target.groupID}/providers/Microsoft.Compute/galleries/${names.gallery}`;
  return { galleryID, definitionID: `${galleryID}/images/${names.definition}` };
}

/** The record of the renewals of a pool. */
export function recordOf({ owner }: Pick<Scope, "owner">): PrototypeRecord {
  return owner.status?.nodePrototyping ?? IDLE;
}

const NO_DONOR = {
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
  imageCount: 0,
  fingerprint: "",
  history: [],
  timeline: [],
  snapshot: { name: "" },
  imageVersion: { gallery: "", definition: "", version: "" },
} as const;

/** The record of a renewal that runs, in which every part that its steps need has a value. */
export function renewalOf(scope: Pick<Scope, "owner">) {
  const record = recordOf(scope);
  return { ...NO_RENEWAL, ...record, donor: { ...NO_DONOR, ...record.donor } };
}

/** Changes of the record; undefined removes a field. */
type Changes = { readonly [Field in keyof PrototypeRecord]?: PrototypeRecord[Field] | undefined };

/** Changes the record; the change is written at the end of the pass. */
export function change({ owner }: Scope, changes: Changes): void {
  const merged = Object.entries({ ...recordOf({ owner }), ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  owner.status = { ...owner.status, nodePrototyping: Object.fromEntries(merged) as NodePrototypingStatus };
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
  const { context } = scope;
  const nowMs = context.env.clock.now();
  const deadlineMs = deadlineOf(phase, nowMs);
  const { timeline = [] } = recordOf(scope);
  const step = { step: phase, startedAt: formatTimestamp(nowMs) };
  change(scope, {
    ...changes,
    phase,
    phaseDeadline: deadlineMs === undefined ? undefined : formatTimestamp(deadlineMs),
    timeline: [...(changes.timeline ?? timeline), step].slice(-MOST_STEPS),
  });
  await context.persistStatus();
}
