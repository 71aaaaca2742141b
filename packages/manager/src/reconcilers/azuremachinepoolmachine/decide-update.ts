import {
  type AzureMachinePool,
  type AzureMachinePoolMachine,
  type Frozen,
  isTrue,
  type Node,
  withLeadingV,
} from "@capstan/api";
import type { ScaleSetInstance } from "@capstan/azure";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { DRAINED } from "../../pools/machine-conditions.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import type { InstanceUpdate } from "./kept-fields.ts";

/** The next step of an update in place. */
export type UpdateStep =
  /** No update is requested any more: the controller reverts its preparations. */
  | "standDown"
  /** The annotation requests an update; the pool's pick must confirm it. */
  | "awaitPick"
  | "drain"
  /** The kept fields are persisted: the controller deletes the Node, and the pool may start the update. */
  | "handOver"
  | "awaitReturn";

/** Determines the progress of an update from the stored status. */
export function decideUpdate(
  machine: Frozen<AzureMachinePoolMachine>,
  pool: Frozen<AzureMachinePool> | undefined,
): UpdateStep {
  const { status, metadata } = machine;
  if (status?.instanceUpdate) return isTrue(status.conditions, DRAINED) ? "awaitReturn" : "handOver";
  const asked = updateOf(machine);
  // The machine already has this model: a crash left the annotation behind.
  if (asked === undefined || asked === status?.modelHash) return "standDown";
  return isPicked(pool, metadata.name) ? "drain" : "awaitPick";
}

function isPicked(pool: Frozen<AzureMachinePool> | undefined, name: string): boolean {
  return pool?.status?.pickedForUpdate?.includes(name) ?? false;
}

/** The observations of an instance that is being updated. */
export interface ReturnView {
  readonly update: Frozen<InstanceUpdate>;
  readonly instance: ScaleSetInstance;
  /** When the list started that shows the instance like this. */
  readonly listedAtMs: number;
  readonly observed: NodeLookup;
  readonly pool: Frozen<AzureMachinePool> | undefined;
}

/** An instance after its update. */
export interface Return {
  readonly node: Frozen<Node>;
  /** Whether it has the requested model; otherwise the machine is drained and updated again. */
  readonly isUpdated: boolean;
}

/** The instance after its update; undefined while it is not back. */
export function returnOf(view: ReturnView): Return | undefined {
  const { instance, observed, update } = view;
  if (instance.provisioningState !== "Succeeded" || observed.state !== "found") return undefined;
  const { node } = observed;
  if (!isNodeReady(node) || node.metadata.uid === update.nodeUID) return undefined;
  if (isAsDesired(view, node) && !isYetToChange(view, node)) return { node, isUpdated: true };
  return hasMissed(view, node) ? { node, isUpdated: false } : undefined;
}

function isAsDesired(view: ReturnView, node: Frozen<Node>): boolean {
  const { instance, pool } = view;
  // The version of the scale set's model: Azure may refuse a newer desired one, which this update does not bring.
  const version = pool?.status?.version;
  if (instance.isLatestModel !== true || !isBootedAnew(view, node)) return false;
  return version === undefined || isSameVersion(version, node.status?.nodeInfo?.kubeletVersion);
}

/** A restarted kubelet also creates a new Node, so the boot id is compared. */
function isBootedAnew({ update }: ReturnView, { status }: Frozen<Node>): boolean {
  return status?.nodeInfo?.bootID !== update.bootID;
}

// More than the clocks of two clusters differ.
const SURE_MS = 60_000;

/**
 * Whether a machine takes pods again without its update: another operation booted it, such as the end of the previous
 * update, or another model is desired now, or its disk is not replaced yet. No running operation can still change that,
 * and a later list confirms it.
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

/** A machine may boot and join with its old disk before Azure replaces it; that does not end the update. */
function isYetToChange({ pool, instance: { instanceID } }: ReturnView, { metadata }: Frozen<Node>): boolean {
  const { instancesToReimage = [], instanceOperations = [] } = pool?.status ?? {};
  const joinedMs = Date.parse(metadata.creationTimestamp ?? "");
  const isWorkedOn = instanceOperations.some(
    ({ instanceIDs, startedAt }) =>
      instanceIDs?.includes(instanceID) === true && joinedMs < Date.parse(startedAt),
  );
  return isWorkedOn || instancesToReimage.includes(instanceID);
}

function isSameVersion(desired: string, kubelet: string | undefined): boolean {
  return kubelet !== undefined && withLeadingV(desired) === withLeadingV(kubelet);
}
