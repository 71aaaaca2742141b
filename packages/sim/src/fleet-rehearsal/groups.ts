import {
  AzureMachinePool,
  AzureManagedControlPlane,
  Cluster,
  CONTROL_PLANE_NAME_LABEL,
  controllerOf,
  type CustomKind,
  type Frozen,
  KubeadmControlPlane,
  type KubernetesObject,
  type Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
  PAUSED_ANNOTATION,
  resolveRolloutBudget,
} from "@capstan/api";
import type { GroupKind, GroupRecord } from "./record.ts";

/** Reads stored objects: all of a kind. */
export interface StoredObjects {
  all<T extends KubernetesObject>(kind: CustomKind<T>): readonly Frozen<T>[];
}

/** A group at one moment. */
export type GroupState = Omit<
  GroupRecord,
  "replicasBefore" | "replicasAfter" | "unfinishedBefore" | "why"
> & {
  readonly replicas: number;
};

/** The key of a group. */
export function groupKey(kind: GroupKind, { namespace = "", name }: NamedObject): string {
  return `${kind}/${namespace}/${name}`;
}

interface NamedObject {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The owners of machines, with what their strategies allow. */
export function groupsIn(objects: StoredObjects): readonly GroupState[] {
  const paused = new Set(
    objects
      .all(Cluster)
      .flatMap((cluster) => (isPaused(cluster) ? [clusterKey(cluster, nameOf(cluster))] : [])),
  );
  const infrastructure = new Map(
    objects.all(AzureMachinePool).map((pool) => [`${pool.metadata.namespace}/${pool.metadata.name}`, pool]),
  );
  return [
    ...objects.all(MachinePool).map((pool) => poolGroup(pool, infrastructure, paused)),
    ...objects.all(MachineDeployment).map((one) => deploymentGroup(one, paused)),
    ...objects.all(KubeadmControlPlane).map((one) => controlPlaneGroup(one, paused)),
    ...objects.all(MachineSet).flatMap((one) => setGroup(one, paused)),
    ...objects.all(AzureManagedControlPlane).map((one) => managedGroup(one, paused)),
  ];
}

const nameOf = ({ metadata }: Frozen<KubernetesObject>): string => metadata.name;

function clusterKey({ metadata }: Frozen<KubernetesObject>, cluster: string): string {
  return `${metadata.namespace}/${cluster}`;
}

function isPaused(object: Frozen<KubernetesObject>): boolean {
  const { spec } = object as { readonly spec?: { readonly paused?: boolean } };
  return spec?.paused === true || object.metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}

/** What a group takes from its owner. */
interface OwnerFacts {
  readonly cluster: string;
  readonly replicas: number;
  readonly maxUnavailable?: number | undefined;
  readonly unfinished: string | undefined;
  readonly isPaused: boolean;
}

function groupOf(kind: GroupKind, object: Frozen<KubernetesObject>, facts: OwnerFacts): GroupState {
  const { namespace = "", name } = object.metadata;
  const { cluster, replicas, maxUnavailable, unfinished, isPaused: is } = facts;
  return {
    key: groupKey(kind, object.metadata),
    kind,
    namespace,
    name,
    cluster,
    replicas,
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(unfinished !== undefined && { unfinished }),
    isPaused: is,
  };
}

type Pools = ReadonlyMap<string, Frozen<AzureMachinePool>>;

function poolGroup(pool: Frozen<MachinePool>, pools: Pools, paused: ReadonlySet<string>): GroupState {
  const { clusterName, replicas = 1, template } = pool.spec;
  const { kind, name } = template.spec.infrastructureRef;
  const azure = kind === AzureMachinePool.kind ? pools.get(`${pool.metadata.namespace}/${name}`) : undefined;
  return groupOf("MachinePool", pool, {
    cluster: clusterName,
    replicas,
    maxUnavailable: azure && unavailableIn(azure, replicas),
    unfinished: unfinishedOf(pool, replicas, azure && unreadyOf(azure)) ?? (azure && unreadyOf(azure)),
    isPaused: [pool, ...(azure ? [azure] : [])].some(isPaused) || paused.has(clusterKey(pool, clusterName)),
  });
}

function unavailableIn({ spec }: Frozen<AzureMachinePool>, replicas: number): number {
  return resolveRolloutBudget({ maxSurge: 1, ...spec.strategy?.rollingUpdate }, replicas).maxUnavailable;
}

function deploymentGroup(one: Frozen<MachineDeployment>, paused: ReadonlySet<string>): GroupState {
  const { clusterName, replicas = 1, rollout } = one.spec;
  const { type = "RollingUpdate", rollingUpdate } = rollout?.strategy ?? {};
  const defaults = type === "RollingUpdate" ? { maxSurge: 1 } : { maxSurge: 0, maxUnavailable: 1 };
  const { maxUnavailable } = resolveRolloutBudget({ ...defaults, ...rollingUpdate }, replicas);
  return groupOf("MachineDeployment", one, {
    cluster: clusterName,
    replicas,
    maxUnavailable: type === "OnDelete" ? undefined : maxUnavailable,
    unfinished: unfinishedOf(one, replicas),
    isPaused: isPaused(one) || paused.has(clusterKey(one, clusterName)),
  });
}

function controlPlaneGroup(one: Frozen<KubeadmControlPlane>, paused: ReadonlySet<string>): GroupState {
  const { replicas = 1, rollout } = one.spec;
  const cluster = clusterOfControlPlane(one);
  const { type = "RollingUpdate", rollingUpdate } = rollout?.strategy ?? {};
  const hasSuccessorFirst = type === "RollingUpdate" && Number(rollingUpdate?.maxSurge ?? 1) > 0;
  return groupOf("KubeadmControlPlane", one, {
    cluster,
    replicas,
    maxUnavailable: hasSuccessorFirst ? 0 : 1,
    unfinished: unfinishedOf(one, replicas),
    isPaused: isPaused(one) || paused.has(clusterKey(one, cluster)),
  });
}

function clusterOfControlPlane(one: Frozen<KubernetesObject>): string {
  return controllerOf(one)?.name ?? one.metadata.name;
}

/** A MachineSet that no MachineDeployment owns never replaces a machine by itself. */
function setGroup(set: Frozen<MachineSet>, paused: ReadonlySet<string>): readonly GroupState[] {
  if (controllerOf(set)) return [];
  const { clusterName, replicas = 1 } = set.spec;
  return [
    groupOf("MachineSet", set, {
      cluster: clusterName,
      replicas,
      maxUnavailable: 0,
      unfinished: unfinishedOf(set, replicas),
      isPaused: isPaused(set) || paused.has(clusterKey(set, clusterName)),
    }),
  ];
}

/** The control plane of AKS has no machines of ours; it can be unfinished all the same. */
function managedGroup(one: Frozen<AzureManagedControlPlane>, paused: ReadonlySet<string>): GroupState {
  const cluster = clusterOfControlPlane(one);
  return groupOf("AzureManagedControlPlane", one, {
    cluster,
    replicas: 0,
    unfinished: unreadyOf(one),
    isPaused: isPaused(one) || paused.has(clusterKey(one, cluster)),
  });
}

interface Counted extends KubernetesObject {
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly upToDateReplicas?: number;
    readonly conditions?: readonly ConditionText[];
  };
}

/** A condition as users read it. */
export interface ConditionText {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions that say why an owner of machines is not done, the cause first. */
const CAUSES: readonly (readonly [type: string, status: string])[] = [
  ["Paused", "True"],
  ["Remediating", "True"],
  // What the machines say comes before what is expected of them: "scaling up" is no cause.
  ["MachinesReady", "False"],
  ["ScalingUp", "True"],
  ["ScalingDown", "True"],
  ["Available", "False"],
  ["Ready", "False"],
  ["RollingOut", "True"],
  ["MachinesUpToDate", "False"],
];

/** Why an owner of machines is not rolled out; undefined if it is. What its infrastructure says comes first. */
function unfinishedOf(
  object: Frozen<KubernetesObject>,
  replicas: number,
  infrastructure?: string,
): string | undefined {
  const { status = {}, metadata } = object as Frozen<Counted>;
  const counts = countsOf(status, replicas);
  const isObserved = (status.observedGeneration ?? metadata.generation) === metadata.generation;
  if (isObserved && Object.values(counts).every((count) => count === replicas)) return undefined;
  const cause = infrastructure ?? causeIn(status.conditions ?? []);
  const { all, available, upToDate } = counts;
  return `${all} of ${replicas} machines, ${available} available, ${upToDate} up to date${cause && `; ${cause}`}`;
}

/** Pools of AKS report no machines that are up to date. */
function countsOf(status: NonNullable<Frozen<Counted>["status"]>, replicas: number) {
  const { readyReplicas = replicas, availableReplicas = replicas, upToDateReplicas = replicas } = status;
  return {
    all: status.replicas ?? 0,
    ready: readyReplicas,
    available: availableReplicas,
    upToDate: upToDateReplicas,
  };
}

function causeIn(conditions: Frozen<readonly ConditionText[]>): string {
  for (const [type, status] of CAUSES) {
    const found = conditions.find((one) => one.type === type && one.status === status);
    if (found) return `${type} is ${status}: ${found.message || found.reason || "no reason given"}`;
  }
  return "";
}

/** The condition that keeps an object of Azure from being ready; undefined if it is ready. */
function unreadyOf(object: Frozen<KubernetesObject>): string | undefined {
  const { status } = object as Frozen<Counted>;
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return undefined;
  if (!ready) return "it has not been reconciled";
  return `Ready is ${ready.status}: ${ready.message || ready.reason || "no reason given"}`;
}

/** The group of a Machine. */
export function groupOfMachine(machine: Frozen<Machine>): string {
  const { namespace, labels = {} } = machine.metadata;
  const owned = (kind: GroupKind, name: string): string => groupKey(kind, { namespace, name });
  const deployment = labels["cluster.x-k8s.io/deployment-name"];
  if (deployment !== undefined) return owned("MachineDeployment", deployment);
  const owner = controllerOf(machine);
  if (owner?.kind === KubeadmControlPlane.kind) return owned("KubeadmControlPlane", owner.name);
  const controlPlane = labels[CONTROL_PLANE_NAME_LABEL];
  if (controlPlane !== undefined) return owned("KubeadmControlPlane", controlPlane);
  if (owner?.kind === MachineSet.kind) return owned("MachineSet", owner.name);
  return owned("Machine", machine.metadata.name);
}
