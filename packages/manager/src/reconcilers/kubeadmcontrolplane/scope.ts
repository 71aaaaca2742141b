import {
  Cluster,
  type Features,
  type Frozen,
  groupOf,
  type KubeadmControlPlane,
  Machine,
} from "@capstan/api";
import type {
  CacheReader,
  Client,
  ContestedFields,
  Context,
  Editable,
  Failure,
  Gauge,
  MetricRegistry,
} from "@capstan/runtime";
import type { SecretPorts } from "@capstan/azure";
import type { Credential } from "../../certificates/credential.ts";
import type { CertificateIssuer } from "../../cluster-certificates/issuer.ts";
import { controlledBy } from "../../contract/indexes.ts";
import type { ConnectToEtcd } from "../../etcd/port.ts";
import type { ControlPlanePlan, ControlPlaneView } from "@capstan/plan";
import type { DesiredParts } from "../../in-place/desired.ts";
import type { UpdaterPorts } from "../../in-place/hooks/updaters.ts";
import type { WorkloadAccess } from "../../workload/workload-clusters.ts";
import type { MachineOwner } from "../../machines/owner.ts";
import { controlPlaneOwner } from "./owner.ts";
import type { ObservedWorkload } from "./observe.ts";
import type { OutdatedMachines } from "./outdated.ts";
import type { EtcdCredentials } from "./etcd-credentials.ts";

/** What the reconciler of KubeadmControlPlanes works with. */
export interface KubeadmControlPlanePorts {
  readonly workloads: Pick<WorkloadAccess, "get" | "onNodeChange" | "onAnswer">;
  /** A client of a workload cluster that checks before each write that this process still leads. */
  readonly workloadClient: (cluster: Frozen<Cluster>) => Promise<Client>;
  readonly readSecret: SecretPorts["readSecret"];
  readonly issuer: CertificateIssuer;
  /** The way to members of etcd. */
  readonly connectEtcd: ConnectToEtcd;
  /** Without updaters, no machine is updated in place. */
  readonly updaters?: UpdaterPorts;
  readonly features?: Features;
  /** The registry for the number of machines that are updated; without it they are not counted. */
  readonly metrics?: MetricRegistry | undefined;
}

/** What the passes of one process share. */
export interface Shared {
  readonly ports: KubeadmControlPlanePorts;
  readonly etcdCredentials: EtcdCredentials;
  readonly contested: ContestedFields;
  /** How many machines are updated in place, by namespace, control plane and state. */
  readonly updating: Gauge | undefined;
}

/** One pass over one KubeadmControlPlane. */
export interface Scope {
  readonly context: Context<KubeadmControlPlane>;
  readonly controlPlane: Editable<KubeadmControlPlane>;
  readonly shared: Shared;
  /** The control plane as the owner of its machines. */
  readonly owner: MachineOwner;
  readonly contested: ContestedFields;
  /** The Cluster that owns it, if it exists. */
  readonly cluster: Frozen<Cluster> | undefined;
  /** Its machines in the cache, oldest first. */
  readonly machines: readonly Frozen<Machine>[];
  /** The certificate authorities, by purpose, as far as they exist. */
  readonly authorities: Map<string, Credential>;
  certificateProblem?: string;
  /** What the workload cluster says, once it was read. */
  observed?: ObservedWorkload;
  outdated: OutdatedMachines;
  /** The desired objects of machines, by the names of the machines. */
  readonly desiredParts: Map<string, Promise<DesiredParts>>;
  view?: ControlPlaneView;
  plan?: ControlPlanePlan;
  /** Why a field of a machine is not written for some minutes: another client keeps changing it back. */
  contest?: Failure;
}

export function buildScope(shared: Shared, context: Context<KubeadmControlPlane>): Scope {
  const { object: controlPlane, cache } = context;
  const cluster = clusterOf(controlPlane, cache);
  const machines = controlledBy(cache, Machine, controlPlane).toSorted(byAge);
  const clusterName = cluster?.metadata.name ?? "";
  return {
    context,
    controlPlane,
    shared,
    cluster,
    owner: controlPlaneOwner({ controlPlane, machines, clusterName }),
    machines,
    contested: shared.contested,
    authorities: new Map(),
    outdated: new Map(),
    desiredParts: new Map(),
  };
}

/** The Cluster controller makes the Cluster the owner of its control plane. */
function clusterOf(
  { metadata }: Frozen<KubeadmControlPlane>,
  cache: CacheReader,
): Frozen<Cluster> | undefined {
  const owner = metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === Cluster.kind && groupOf(apiVersion) === Cluster.group,
  );
  return owner && cache.get(Cluster, { name: owner.name, namespace: metadata.namespace });
}

function byAge(a: Frozen<Machine>, b: Frozen<Machine>): number {
  const created = ({ metadata }: Frozen<Machine>): string => metadata.creationTimestamp ?? "";
  return created(a) === created(b)
    ? a.metadata.name < b.metadata.name
      ? -1
      : 1
    : created(a) < created(b)
      ? -1
      : 1;
}
