/** Deletes and updates the instances of drained machines, many with one request. */
import { counted } from "../../shared/action.ts";
import { type Blocked, type PoolAction, headingOf } from "../action.ts";
import { canRejoin } from "../upkeep/bootstrap-data.ts";
import type { PoolView } from "../view.ts";
import {
  type DrainedMachine,
  isDeletable,
  isDisruptable,
  isUpdatable,
  needsReimage,
  needsUpgrade,
} from "./drained-machine.ts";

/** How many instance operations may run at once, not counting those that hang: each is polled until it ends. */
const AT_ONCE = 3;
/** How many may run including those that hang: each is a record of up to 5 KB in the status. */
const RECORDS_AT_MOST = 20;
// The slowest update in recordings of Azure took three minutes, the slowest delete half a minute. An operation that takes
// longer than this may never end; it holds up only its own instances.
const HANGING_MS = 5 * 60_000;
/** One in so many machines must be drained before another request is worth it: each operation is polled until it ends. */
const MACHINES_FOR_ONE = 50;
/** The number of instances in one request: as many as Azure handles at once. */
const INSTANCES_AT_MOST = 100;

/** The operations on instances, and what holds up others. */
export interface InstancePlan {
  readonly actions: readonly PoolAction[];
  readonly blocked: readonly Blocked[];
}

interface Batch {
  readonly operation: "delete" | "upgrade" | "reimage";
  readonly machines: readonly DrainedMachine[];
  readonly isReimagedNext?: boolean;
}

/** Decides which operations on instances start now. */
export function planInstanceOperations(view: PoolView): InstancePlan {
  const { drained = [] } = view.instances ?? {};
  if (view.isPaused || drained.length === 0) return { actions: [], blocked: [] };
  const ready = drained.filter(isDisruptable);
  const late = ready.filter(({ hasUndrainedNode }) => hasUndrainedNode === true);
  const batches = batchesOf(ready.filter((machine) => !late.includes(machine)));
  // A spec that cannot be built may not be what a user wants on the machines; machines that users delete are still deleted.
  const allowed = view.specProblem === undefined ? batches : batches.filter(isDeletion);
  const held = canRejoin(view) ? [] : allowed.filter((batch) => !isDeletion(batch));
  const startable = allowed.filter((batch) => !held.includes(batch));
  return {
    actions: withinLimits(view, startable).map((batch) => start(view, batch)),
    blocked: [
      ...lateNodes(view, late),
      ...expiredData(
        view,
        held.flatMap(({ machines }) => machines),
      ),
    ],
  };
}

function isDeletion({ operation }: Batch): boolean {
  return operation === "delete";
}

function batchesOf(ready: readonly DrainedMachine[]): readonly Batch[] {
  const updating = ready.filter(isUpdatable);
  const outdated = updating.filter(needsUpgrade);
  const batches: readonly Batch[] = [
    { operation: "delete", machines: ready.filter(isDeletable) },
    {
      operation: "upgrade",
      machines: outdated.filter(({ hasImageOfSet }) => hasImageOfSet),
      isReimagedNext: true,
    },
    { operation: "upgrade", machines: outdated.filter(({ hasImageOfSet }) => !hasImageOfSet) },
    { operation: "reimage", machines: updating.filter(needsReimage) },
  ];
  return batches.filter(({ machines }) => machines.length > 0);
}

/** The operations that may start beside those that run, each with as many instances as one request may have. */
function withinLimits({ instances, machines: all, nowMs }: PoolView, batches: readonly Batch[]): Batch[] {
  const startedMs = instances?.operationsStartedMs ?? [];
  const running = startedMs.filter((atMs) => atMs >= nowMs - HANGING_MS).length;
  const started: Batch[] = [];
  for (const batch of batches) {
    const { length } = started;
    if (startedMs.length + length >= RECORDS_AT_MOST || running + length >= AT_ONCE) continue;
    const isWorthIt = running + length === 0 || batch.machines.length >= all.length / MACHINES_FOR_ONE;
    if (isWorthIt) started.push({ ...batch, machines: batch.machines.slice(0, INSTANCES_AT_MOST) });
  }
  return started;
}

function start(view: PoolView, batch: Batch): PoolAction {
  const { operation, machines, isReimagedNext = false } = batch;
  return {
    ...headingOf(view),
    action: "StartInstanceOperation",
    targets: machines.map(({ name }) => name),
    detail: {
      operation,
      instanceIDs: machines.map(({ instanceID }) => instanceID),
      ...(isReimagedNext && { isReimagedNext }),
    },
    why: whyStarted(batch),
  };
}

function whyStarted({ operation, machines, isReimagedNext = false }: Batch): string {
  const count = counted(machines.length, "drained machine");
  switch (operation) {
    case "delete":
      return `Azure deletes the instances of ${count}`;
    case "upgrade":
      return isReimagedNext
        ? `Azure updates the instances of ${count} to the model of the scale set; with the same image they keep their disks, so they are re-imaged next`
        : `Azure updates the instances of ${count} to the model of the scale set`;
    case "reimage":
      return `${count} ${machines.length === 1 ? "has" : "have"} the new model and still the old disk`;
  }
}

function lateNodes(view: PoolView, late: readonly DrainedMachine[]): readonly Blocked[] {
  if (late.length === 0) return [];
  const why = `${counted(late.length, "machine")} counted as drained without a Node, and the Node has joined or cannot be read; the machine drains it first`;
  const targets = late.map(({ name }) => name);
  return [{ ...headingOf(view), reason: "NodeNotDrained", targets, why }];
}

function expiredData(view: PoolView, held: readonly DrainedMachine[]): readonly Blocked[] {
  if (held.length === 0) return [];
  const why = `${counted(held.length, "machine")} could not rejoin: the bootstrap data in the scale set has expired and is renewed first`;
  const targets = held.map(({ name }) => name);
  return [{ ...headingOf(view), reason: "BootstrapDataExpired", targets, why }];
}
