import {
  type Cluster,
  CONTROL_PLANE_LABEL,
  controllerOf,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Machine,
  MachineDeployment,
  MachinePool,
  MachineSet,
} from "@capstan/api";

/** An object that belongs to a cluster. */
export interface Descendant extends KubernetesObject {
  spec: { clusterName: string };
}

/** The kinds of such objects. */
export const DESCENDANTS: readonly Kind<Descendant>[] = [MachinePool, MachineDeployment, MachineSet, Machine];

/** A step of a deletion. Whoever needs something goes before it. */
export interface DeletionStep {
  readonly waitsFor: "machinePools" | "machines" | "controlPlane" | "infrastructure";
  /** What is told to go now. */
  readonly remove: readonly Frozen<Descendant>[];
  /** What is still there, for people. */
  readonly left: readonly string[];
}

/** What is left of a cluster. */
export interface Remains {
  readonly nowMs: number;
  readonly descendants: readonly Frozen<Descendant>[];
  /** Whether the objects that the Cluster refers to are still there, by their names. */
  readonly controlPlane?: string;
  readonly infrastructure?: string;
}

const MACHINE_KINDS: readonly string[] = [MachineDeployment.kind, MachineSet.kind, Machine.kind];

/** The next step, with what is to be deleted in it; undefined when nothing is left. */
export function decideDeletion(cluster: Frozen<Cluster>, remains: Remains): DeletionStep | undefined {
  const { descendants, controlPlane, infrastructure, nowMs } = remains;
  const own = descendants.filter((one) => isOf(cluster, one));
  const pools = own.filter(({ kind }) => kind === MachinePool.kind);
  if (pools.length > 0) {
    const step = stepOf("machinePools", pools);
    return { ...step, remove: step.remove.filter((one) => isKnown(one) || isOverdue(cluster, nowMs)) };
  }
  const machines = own.filter(({ kind }) => MACHINE_KINDS.includes(kind));
  const workers = machines.filter((one) => !isControlPlane(one));
  if (workers.length > 0) return stepOf("machines", workers);
  if (controlPlane !== undefined) return { waitsFor: "controlPlane", remove: [], left: [controlPlane] };
  // Machines of a control plane without an object that manages them go by themselves.
  if (machines.length > 0) return stepOf("controlPlane", machines);
  return infrastructure === undefined
    ? undefined
    : { waitsFor: "infrastructure", remove: [], left: [infrastructure] };
}

/**
 * A pool that its own controller has not seen yet would be gone at once, and leave behind what it refers to. It is seen
 * within a second while that controller runs; nobody knows whether it does, so this has an end.
 */
function isKnown({ metadata }: Frozen<Descendant>): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

const UNKNOWN_LIMIT_MS = 2 * 60_000;

function isOverdue({ metadata }: Frozen<Cluster>, nowMs: number): boolean {
  return nowMs - Date.parse(metadata.deletionTimestamp ?? "") > UNKNOWN_LIMIT_MS;
}

/** By the whole name and the namespace, never by a prefix. */
function isOf({ metadata }: Frozen<Cluster>, { metadata: { namespace }, spec }: Frozen<Descendant>): boolean {
  return namespace === metadata.namespace && spec.clusterName === metadata.name;
}

function isControlPlane({ metadata }: Frozen<Descendant>): boolean {
  return metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
}

/** What is managed by another object is deleted by that one. */
function stepOf(waitsFor: DeletionStep["waitsFor"], objects: readonly Frozen<Descendant>[]): DeletionStep {
  const remove = objects.filter((one) => {
    const controller = controllerOf(one);
    const isManaged =
      controller !== undefined && objects.some(({ metadata }) => metadata.uid === controller.uid);
    return !isManaged && one.metadata.deletionTimestamp === undefined;
  });
  const left = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
  return { waitsFor, remove, left };
}
