import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  isTrue,
  type Node,
  withLeadingV,
} from "@capstan/api";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { DRAINED } from "./conditions.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import type { InstanceUpdate } from "./kept-fields.ts";

/** What is next for the update of an instance in place. */
export type UpdateStep =
  /** Nobody asks for one, or not any more: what was prepared for it is taken back. */
  | "standDown"
  /** Somebody asks for one; the pool says whether that was its decision. */
  | "awaitPick"
  | "drain"
  /** Everything that must survive is written down: the Node goes, and the pool may begin. */
  | "handOver"
  | "awaitReturn";

/** Tells from what is written down how far an update has come. */
export function decideUpdate(
  machine: Frozen<AzureMachinePoolMachine>,
  pool: Frozen<AzureMachinePool> | undefined,
): UpdateStep {
  const { status, metadata } = machine;
  if (status?.instanceUpdate) return isTrue(status.conditions, DRAINED) ? "awaitReturn" : "handOver";
  const asked = updateOf(machine);
  // The model that the machine has already: the annotation outlived its update by a crash.
  if (asked === undefined || asked === status?.modelHash) return "standDown";
  return isPicked(pool, metadata.name) ? "drain" : "awaitPick";
}

function isPicked(pool: Frozen<AzureMachinePool> | undefined, name: string): boolean {
  return pool?.status?.pickedForUpdate?.includes(name) ?? false;
}

/** What is known of an instance that is to come back. */
export interface ReturnView {
  readonly update: Frozen<InstanceUpdate>;
  readonly instance: ScaleSetInstance;
  /** When the list set out that shows the instance so. */
  readonly listedAtMs: number;
  readonly observed: NodeLookup;
  readonly pool: Frozen<AzureMachinePool> | undefined;
}

/** What an updated instance has come back as. */
export interface Return {
  readonly node: Frozen<Node>;
  /** Whether it has what was asked for; a machine that has not is drained and updated anew. */
  readonly isUpdated: boolean;
}

/** Whether an instance is back, and as what; undefined while it is not. */
export function returnOf(view: ReturnView): Return | undefined {
  const { instance, observed, update } = view;
  if (instance.provisioningState !== "Succeeded" || observed.state !== "found") return undefined;
  const { node } = observed;
  if (!isNodeReady(node) || node.metadata.uid === update.nodeUID) return undefined;
  if (isAsWanted(view, node) && !isYetToChange(view, node)) return { node, isUpdated: true };
  return hasMissed(view, node) ? { node, isUpdated: false } : undefined;
}

function isAsWanted(view: ReturnView, node: Frozen<Node>): boolean {
  const { instance, pool } = view;
  // That of the model which the scale set has: what is wanted by now Azure may refuse, and it does not come by this update.
  const version = pool?.status?.version;
  if (instance.isLatestModel !== true || !isBootedAnew(view, node)) return false;
  return version === undefined || isSameVersion(version, node.status?.nodeInfo?.kubeletVersion);
}

/** A kubelet that was only started anew makes a new Node too. */
function isBootedAnew({ update }: ReturnView, { status }: Frozen<Node>): boolean {
  return status?.nodeInfo?.bootID !== update.bootID;
}

// More than the clocks of two clusters differ.
const SURE_MS = 60_000;

/**
 * Whether a machine takes pods again without what it was drained for: it was booted by something else than its update,
 * such as the end of the one before it, or another model is wanted by now, or its disk is yet to be written. Nothing is
 * under way any more that could change that, and it has been listed without since.
 */
function hasMissed(view: ReturnView, node: Frozen<Node>): boolean {
  const { instance, listedAtMs, pool } = view;
  const { instanceOperations = [], instancesToReimage = [] } = pool?.status ?? {};
  const isWorkedOn = instanceOperations.some(({ instanceIDs }) => instanceIDs?.includes(instance.instanceID));
  const joinedMs = Date.parse(node.metadata.creationTimestamp ?? "");
  if (isWorkedOn || listedAtMs - joinedMs <= SURE_MS) return false;
  const isOfOldDisk = instancesToReimage.includes(instance.instanceID) || !isBootedAnew(view, node);
  return instance.isLatestModel === false || isOfOldDisk;
}

/** A machine may boot and join with its old disk before it gets the new one; that is not what is waited for. */
function isYetToChange({ pool, instance: { instanceID } }: ReturnView, { metadata }: Frozen<Node>): boolean {
  const { instancesToReimage = [], instanceOperations = [] } = pool?.status ?? {};
  const joinedMs = Date.parse(metadata.creationTimestamp ?? "");
  const isWorkedOn = instanceOperations.some(
    ({ instanceIDs, startedAt }) =>
      instanceIDs?.includes(instanceID) === true && joinedMs < Date.parse(startedAt),
  );
  return isWorkedOn || instancesToReimage.includes(instanceID);
}

function isSameVersion(wanted: string, kubelet: string | undefined): boolean {
  return kubelet !== undefined && withLeadingV(wanted) === withLeadingV(kubelet);
}
