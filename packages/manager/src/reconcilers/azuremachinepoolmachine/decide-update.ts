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
import type { NodeSighting } from "./find-node.ts";
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
  readonly sighting: NodeSighting;
  readonly pool: Frozen<AzureMachinePool> | undefined;
  /** The version that its kubelet is to have, where that is known. */
  readonly version: string | undefined;
}

/** The Node that an updated instance has come back as; undefined while it has not. */
export function returnedNode(view: ReturnView): Frozen<Node> | undefined {
  const { instance, sighting } = view;
  if (instance.provisioningState !== "Succeeded" || sighting.state !== "found") return undefined;
  const { node } = sighting;
  const isGood = isSuperseded(view) ? isMadeAnew(view) : isAsWanted(view, node) || hasMissed(view, node);
  const isBack = isNodeReady(node) && isNew(view, node) && isGood && !isYetToChange(view, node);
  return isBack ? node : undefined;
}

function isNew({ update }: ReturnView, { metadata, status }: Frozen<Node>): boolean {
  return metadata.uid !== update.nodeUID && status?.nodeInfo?.bootID !== update.bootID;
}

function isAsWanted({ instance, version }: ReturnView, { status }: Frozen<Node>): boolean {
  if (instance.isLatestModel !== true) return false;
  return version === undefined || isSameVersion(version, status?.nodeInfo?.kubeletVersion);
}

/**
 * Whether another model is wanted by now: the machine will never have the newest one by this update. Which one it has got
 * cannot be told either, as Azure gives an instance the model that its set has at the moment.
 */
function isSuperseded({ update, pool, instance }: ReturnView): boolean {
  const wanted = pool?.status?.modelHash;
  return instance.isLatestModel === false && wanted !== undefined && wanted !== update.modelHash;
}

// More than the clocks of two clusters differ.
const SURE_MS = 60_000;

/**
 * Whether a machine was booted by something else than its update, such as the end of the one before it: nothing is
 * under way any more that could give it the model, and it has been listed without since. It must be drained anew.
 */
function hasMissed({ instance, listedAtMs, pool }: ReturnView, { metadata }: Frozen<Node>): boolean {
  const { instanceOperations = [] } = pool?.status ?? {};
  const isWorkedOn = instanceOperations.some(({ instanceIDs }) => instanceIDs?.includes(instance.instanceID));
  const joinedMs = Date.parse(metadata.creationTimestamp ?? "");
  return instance.isLatestModel === false && !isWorkedOn && listedAtMs - joinedMs > SURE_MS;
}

function isMadeAnew({ update, instance }: ReturnView): boolean {
  return (instance.provisionedAtMs ?? -Infinity) >= Date.parse(update.startedAt);
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
