import { isTrue } from "@capstan/api";
import { again, next, type Outcome } from "@capstan/runtime";
import {
  BATCH_SIZE,
  covers,
  type InstanceAction,
  instanceActions,
  type ScaleSetInstance,
} from "@capstan/azure";
import { DRAINED } from "../azuremachinepoolmachine/conditions.ts";
import { type DisruptionCandidate, isBack, isLeaving, isUpdating } from "./disruption-candidates.ts";
import { withUndrainedNodes } from "./undrained-nodes.ts";
import { isPaused } from "./pool-view.ts";
import { renewForUpdates } from "./put.ts";
import { startOnInstances } from "./operations.ts";
import { isResizedMeanwhile, mayBeResized } from "./resize.ts";
import { type NormalScope, type Observation } from "./scope.ts";

// The event of the Node makes its machine drain it; the requeue only covers an event that was missed.
const LATE_MS = 15_000;
/** How many instance operations may run at once, not counting those that hang: each is polled until it ends. */
const AT_ONCE = 3;
/** How many may run including those that hang: each is a record of up to 5 KB in the status. */
const RECORDS_AT_MOST = 20;
// The slowest update in recordings of Azure took three minutes, the slowest delete half a minute. An operation that takes
// longer than this may never end; it holds up only its own instances.
const HANGING_MS = 5 * 60_000;
/** One in so many machines must be drained before another request is worth it: each operation is polled until it ends. */
const MACHINES_FOR_ONE = 50;

interface Batch {
  readonly action: InstanceAction;
  readonly instanceIDs: readonly string[];
  /** A re-image of the same instances follows. */
  readonly isFirstHalf?: boolean;
}

/** Deletes and updates the instances whose machines are drained, many with one request. */
export async function actOnInstances(scope: NormalScope): Promise<Outcome> {
  const { observation } = scope;
  if (!observation || isPaused(scope.pool, scope.owners.machinePool)) return next;
  const drained = drainedOf(scope, observation).filter((one) => isLeaving(one) || isUpdating(one));
  const late = await withUndrainedNodes(scope, drained);
  const ready = drained.filter(({ seen }) => !late.has(seen.instanceID));
  const batches = batchesFor(scope, observation, ready).filter((one) => !scope.refusal || !isUpdate(one));
  // The drain may have taken longer than the bootstrap data of the wave is valid.
  const renewal = batches.some(isUpdate) ? await renewForUpdates(scope, observation) : next;
  const isGood = renewal.type === "next";
  const waits = [
    ...(late.size > 0 ? [LATE_MS] : []),
    ...(isGood ? [] : [renewal.afterMs]),
    ...(await start(scope, observation, isGood ? batches : batches.filter((one) => !isUpdate(one)))),
  ];
  return waits.length === 0 ? next : again(Math.min(...waits), "OperationRunning");
}

/** Starts as many operations as the limits allow; returns when to poll each. */
async function start(
  scope: NormalScope,
  { machines }: Observation,
  batches: readonly Batch[],
): Promise<readonly number[]> {
  const waits: number[] = [];
  for (const planned of batches) {
    const { action, instanceIDs } = planned;
    if (!hasRoomFor(scope, instanceIDs.length, machines.length)) continue;
    const [desired] = instanceActions(scope.azureTarget.scaleSetID, action, instanceIDs.slice(0, BATCH_SIZE));
    if (!desired) continue;
    if (action === "delete" && mayBeResized(scope) && (await isResizedMeanwhile(scope))) return [...waits, 0];
    noteReimages(scope, planned, desired.instanceIDs);
    waits.push(await startOnInstances(scope, desired));
  }
  return waits;
}

/** Whether an operation on so many instances may start beside those that run. */
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
  drained: readonly DisruptionCandidate[],
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

function batch(action: InstanceAction, drained: readonly DisruptionCandidate[]): Batch {
  return { action, instanceIDs: drained.map(({ seen }) => seen.instanceID) };
}

/** The drained machines whose instances exist and have no operation running on them. */
function drainedOf(
  { pool, memory }: NormalScope,
  { unavailable, instances }: Observation,
): readonly DisruptionCandidate[] {
  const busy = new Set(
    (pool.status?.instanceOperations ?? []).flatMap(({ instanceIDs = [] }) => instanceIDs),
  );
  const drained = unavailable.filter(({ machine }) => isTrue(machine?.status?.conditions, DRAINED));
  if (drained.length === 0) return [];
  const byID = new Map(instances.map((instance) => [instance.instanceID, instance]));
  return drained.flatMap(({ machine, instance, node }) => {
    const seen = instance && byID.get(instance.instanceID);
    if (!machine || !seen || busy.has(seen.instanceID)) return [];
    // The next list shows the result.
    return memory.endedOn(seen.instanceID) === undefined ? [{ machine, seen, node }] : [];
  });
}

/**
 * Whether an instance has the new model but still its old disk: the image is the same, or only a restart was requested. An
 * instance whose Node is back has a new disk, even if Azure's clock is behind ours and suggests otherwise.
 */
function isHalf({ pool }: NormalScope, drained: DisruptionCandidate): boolean {
  const { machine, seen } = drained;
  if (isBack(drained)) return false;
  if ((pool.status?.instancesToReimage ?? []).includes(seen.instanceID)) return true;
  const startedMs = Date.parse(machine.status?.instanceUpdate?.startedAt ?? "");
  return (seen.provisionedAtMs ?? Infinity) < startedMs;
}

/** Updating an instance replaces its disk only if the image differs. */
function hasSameImage({ set }: Observation, { imageReference = {} }: ScaleSetInstance): boolean {
  return set !== undefined && covers(imageReference, set.imageReference);
}

/** Records together with the intent which instances are re-imaged afterwards. */
function noteReimages({ pool }: NormalScope, { action, isFirstHalf }: Batch, ids: readonly string[]): void {
  const { instancesToReimage = [], ...rest } = pool.status ?? {};
  const others = instancesToReimage.filter((id) => !ids.includes(id));
  const all = action === "manualupgrade" && isFirstHalf === true ? [...others, ...ids] : others;
  pool.status = all.length > 0 ? { ...rest, instancesToReimage: all } : rest;
}
