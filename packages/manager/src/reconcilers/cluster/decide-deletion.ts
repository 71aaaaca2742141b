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

export interface Descendant extends KubernetesObject {
  spec: { clusterName: string };
}

/** The kinds of objects that belong to a cluster. */
export const DESCENDANTS: readonly Kind<Descendant>[] = [MachinePool, MachineDeployment, MachineSet, Machine];

/** A step of a deletion. Dependants are deleted before their dependencies. */
export interface DeletionStep {
  readonly waitsFor: "machinePools" | "machines" | "controlPlane" | "infrastructure";
  /** The objects to delete now. */
  readonly remove: readonly Frozen<Descendant>[];
  /** The remaining objects, for messages. */
  readonly left: readonly string[];
}

/** The remaining objects of a cluster. */
export interface Remains {
  readonly nowMs: number;
  readonly descendants: readonly Frozen<Descendant>[];
  /** The names of the objects that the Cluster refers to, if they still exist. */
  readonly controlPlane?: string;
  readonly infrastructure?: string;
}

const MACHINE_KINDS: readonly string[] = [MachineDeployment.kind, MachineSet.kind, Machine.kind];

/** The next step and the objects to delete in it; undefined when no object is left. */
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
  // Machines of a control plane without a managing object are deleted directly.
  if (machines.length > 0) return stepOf("controlPlane", machines);
  return infrastructure === undefined
    ? undefined
    : { waitsFor: "infrastructure", remove: [], left: [infrastructure] };
}

/**
 * A pool that its controller has not seen yet has no finalizer: it would disappear at once and leave the objects that it
 * refers to behind. A running controller sees it within a second; the wait is limited, because it may not run.
 */
function isKnown({ metadata }: Frozen<Descendant>): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

const UNKNOWN_LIMIT_MS = 2 * 60_000;

function isOverdue({ metadata }: Frozen<Cluster>, nowMs: number): boolean {
  return nowMs - Date.parse(metadata.deletionTimestamp ?? "") > UNKNOWN_LIMIT_MS;
}

/** Compares the whole name and the namespace, never a prefix. */
function isOf({ metadata }: Frozen<Cluster>, { metadata: { namespace }, spec }: Frozen<Descendant>): boolean {
  return namespace === metadata.namespace && spec.clusterName === metadata.name;
}

function isControlPlane({ metadata }: Frozen<Descendant>): boolean {
  return metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined;
}

/** An object with a controller is deleted by that controller. */
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
