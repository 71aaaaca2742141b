import { getCondition, isTrue } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import { covers } from "../../azure/operations/covers.ts";
import { BATCH_SIZE, type InstanceAction, instanceActions } from "../../azure/scale-set/instance-actions.ts";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { NO_NODE } from "../../workload/drain/drain-machine.ts";
import { DRAINED } from "../azuremachinepoolmachine/conditions.ts";
import { type DisruptionCandidate, withUndrainedNodes } from "./undrained-nodes.ts";
import { isPaused } from "./pool-view.ts";
import { renewForUpdates } from "./put.ts";
import { startOnInstances } from "./operations.ts";
import { isResizedMeanwhile, mayBeResized } from "./resize.ts";
import { type NormalScope, type Observation } from "./scope.ts";

type Drained = DisruptionCandidate;

// The machine drains its Node as soon as it hears of it; this is for when it does not.
const LATE_MS = 15_000;
/** How many things may be under way with instances at once, beside those that hang: each is polled until it ends. */
const AT_ONCE = 3;
/** How many there may be with those that hang: each is a record in the status, of up to 5 KB. */
const RECORDS_AT_MOST = 20;
// The slowest update in recordings of Azure took three minutes, and deletes half a minute. What takes longer than this
// may take for ever, and holds up nobody but its own instances.
const HANGING_MS = 5 * 60_000;
/** Of so many machines one must be ready to go before it is worth a request beside others: each is polled until it ends. */
const MACHINES_FOR_ONE = 50;

interface Batch {
  readonly action: InstanceAction;
  readonly instanceIDs: readonly string[];
  /** The disks are written anew after it. */
  readonly isFirstHalf?: boolean;
}

/** Deletes and updates the instances that their machines have drained, as they come, many with one request. */
export async function actOnInstances(scope: NormalScope): Promise<Outcome> {
  const { observation } = scope;
  if (!observation || isPaused(scope.pool, scope.owners.machinePool)) return next;
  const drained = drainedOf(scope, observation).filter((one) => isLeaving(one) || isUpdating(one));
  const late = await withUndrainedNodes(scope, drained);
  const ready = drained.filter(({ seen }) => !late.has(seen.instanceID));
  const batches = batchesFor(scope, observation, ready).filter((one) => !scope.refusal || !isUpdate(one));
  // A drain may have taken longer than the data is good that the wave began with.
  const renewal = batches.some(isUpdate) ? await renewForUpdates(scope, observation) : next;
  const isGood = renewal.type === "next";
  const waits = [
    ...(late.size > 0 ? [LATE_MS] : []),
    ...(isGood ? [] : [renewal.afterMs]),
    ...(await start(scope, observation, isGood ? batches : batches.filter((one) => !isUpdate(one)))),
  ];
  return waits.length === 0 ? next : again(Math.min(...waits), "OperationRunning");
}

/** Starts what there is room for; says when to come back for each. */
async function start(
  scope: NormalScope,
  { machines }: Observation,
  batches: readonly Batch[],
): Promise<readonly number[]> {
  const waits: number[] = [];
  for (const planned of batches) {
    const { action, instanceIDs } = planned;
    if (!hasRoomFor(scope, instanceIDs.length, machines.length)) continue;
    const [wanted] = instanceActions(scope.azureTarget.scaleSetID, action, instanceIDs.slice(0, BATCH_SIZE));
    if (!wanted) continue;
    if (action === "delete" && mayBeResized(scope) && (await isResizedMeanwhile(scope))) return [...waits, 0];
    noteReimages(scope, planned, wanted.instanceIDs);
    waits.push(await startOnInstances(scope, wanted));
  }
  return waits;
}

/** Whether a request for so many of the machines fits beside what is under way. */
function hasRoomFor({ context, pool }: NormalScope, instances: number, machines: number): boolean {
  const records = pool.status?.instanceOperations ?? [];
  const hungMs = context.env.clock.now() - HANGING_MS;
  const running = records.filter(({ startedAt }) => Date.parse(startedAt) >= hungMs).length;
  if (records.length >= RECORDS_AT_MOST || running >= AT_ONCE) return false;
  return running === 0 || instances >= machines / MACHINES_FOR_ONE;
}

function batchesFor(
  scope: NormalScope,
  observation: Observation,
  drained: readonly Drained[],
): readonly Batch[] {
  const leaving = drained.filter(isLeaving);
  const updating = drained.filter(isUpdating);
  const outdated = updating.filter((one) => one.seen.isLatestModel === false && !isBack(one));
  const sameImage = new Set(outdated.filter(({ seen }) => hasSameImage(observation, seen)));
  const half = updating.filter((one) => one.seen.isLatestModel === true && isHalf(scope, one));
  return [
    batch("delete", leaving),
    { ...batch("manualupgrade", [...sameImage]), isFirstHalf: true },
    batch(
      "manualupgrade",
      outdated.filter((one) => !sameImage.has(one)),
    ),
    batch("reimage", half),
  ].filter(({ instanceIDs }) => instanceIDs.length > 0);
}

function isUpdate({ action }: Batch): boolean {
  return action !== "delete";
}

function batch(action: InstanceAction, drained: readonly Drained[]): Batch {
  return { action, instanceIDs: drained.map(({ seen }) => seen.instanceID) };
}

/** The machines that say they are drained, whose instances are there and have nothing else done to them. */
function drainedOf(
  { pool, memory }: NormalScope,
  { unavailable, instances }: Observation,
): readonly Drained[] {
  const busy = new Set(
    (pool.status?.instanceOperations ?? []).flatMap(({ instanceIDs = [] }) => instanceIDs),
  );
  const drained = unavailable.filter(({ machine }) => isTrue(machine?.status?.conditions, DRAINED));
  if (drained.length === 0) return [];
  const byID = new Map(instances.map((instance) => [instance.instanceID, instance]));
  return drained.flatMap(({ machine, instance, node }) => {
    const seen = instance && byID.get(instance.instanceID);
    if (!machine || !seen || busy.has(seen.instanceID)) return [];
    // What has become of it shows in the next list.
    return memory.endedOn(seen.instanceID) === undefined ? [{ machine, seen, node }] : [];
  });
}

function isLeaving({ machine, seen, node }: Drained): boolean {
  const { deletionTimestamp } = machine.metadata;
  if (deletionTimestamp === undefined || seen.provisioningState === "Deleting") return false;
  // A machine that is deleted when its update has just come back: it was the Node before that was drained.
  const { nodeUID } = machine.status?.instanceUpdate ?? {};
  return (
    (nodeUID === undefined || !node || node.metadata.uid === nodeUID) && !hasJoinedLate({ machine, node })
  );
}

/** Whether a machine has become a Node after it had counted as drained for want of one: it drains that first. */
function hasJoinedLate({ machine, node }: Pick<Drained, "machine" | "node">): boolean {
  const drained = getCondition(machine.status?.conditions, DRAINED);
  return drained?.reason === NO_NODE && node !== undefined && isNodeReady(node);
}

function isUpdating({ machine, seen }: Drained): boolean {
  const { deletionTimestamp } = machine.metadata;
  const isAsked = deletionTimestamp === undefined && updateOf(machine) !== undefined;
  // Azure works on no instance that it still works on; one that failed is left to the planner.
  return isAsked && machine.status?.instanceUpdate !== undefined && seen.provisioningState === "Succeeded";
}

/** Whether a machine has come back already, by when another model was wanted: pods may run on it, and it must be drained anew. */
function isBack({ machine, node }: Drained): boolean {
  return (
    node !== undefined && isNodeReady(node) && node.metadata.uid !== machine.status?.instanceUpdate?.nodeUID
  );
}

/**
 * Whether an instance has the new model and still its old disk: it boots from the same image, or nothing but the wish is
 * new. One that has come back has a new one, even where Azure's clock is behind ours and seems to say that it has not.
 */
function isHalf({ pool }: NormalScope, drained: Drained): boolean {
  const { machine, seen } = drained;
  if (isBack(drained)) return false;
  if ((pool.status?.instancesToReimage ?? []).includes(seen.instanceID)) return true;
  const startedMs = Date.parse(machine.status?.instanceUpdate?.startedAt ?? "");
  return (seen.provisionedAtMs ?? Infinity) < startedMs;
}

/** An update in place writes the disk anew only for another image. */
function hasSameImage({ set }: Observation, { imageReference = {} }: ScaleSetInstance): boolean {
  return set !== undefined && covers(imageReference, set.imageReference);
}

/** Notes, in the write that holds the intent, which instances get their disk anew after it. */
function noteReimages({ pool }: NormalScope, { action, isFirstHalf }: Batch, ids: readonly string[]): void {
  const { instancesToReimage = [], ...rest } = pool.status ?? {};
  const others = instancesToReimage.filter((id) => !ids.includes(id));
  const all = action === "manualupgrade" && isFirstHalf === true ? [...others, ...ids] : others;
  pool.status = all.length > 0 ? { ...rest, instancesToReimage: all } : rest;
}
