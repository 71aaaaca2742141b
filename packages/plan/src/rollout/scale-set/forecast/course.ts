import type { PoolAction } from "../action.ts";
import { machineResourceName } from "../plan.ts";
import {
  type MachineView,
  type PoolView,
  isBroken,
  isLeaving,
  isLive,
  isLongUnavailable,
  machinesOf,
} from "../view.ts";
import type { StepTimes } from "./step-times.ts";

/** A pool at one moment of the simulated rollout, and the events that are due later. */
export interface Course {
  view: PoolView;
  readonly times: StepTimes;
  /** Machines by a key of the forecast, because names and instance ids change. */
  readonly machines: Map<number, MachineView>;
  due: Due[];
  /** The key of the next machine; its instance gets the next id of the scale set. */
  nextKey: number;
  nextInstance: number;
  readonly firstKey: number;
}

interface Due {
  readonly atMs: number;
  readonly happen: () => void;
}

/** Starts with the pool as it is; a running operation takes as long as if it had just started. */
export function startOf(view: PoolView, times: StepTimes): Course {
  const ids = machinesOf(view).map(({ instanceID }) => Number(instanceID ?? -1));
  // The forecast simulates drains and operations on instances itself.
  const { instances: _, ...start } = view;
  const course: Course = {
    view: start,
    times,
    machines: new Map(machinesOf(view).map((machine, key) => [key, machine])),
    due: [],
    nextKey: view.machines.length,
    firstKey: view.machines.length,
    // Azure never reuses an id, so the next one is a guess: deleted instances may have had larger ids.
    nextInstance: Math.max(-1, ...ids.filter(Number.isSafeInteger)) + 1,
  };
  if (view.operation) endOperationLater(course, view.capacity - liveCount(course));
  for (const [key, machine] of course.machines) goOnWith(course, key, machine);
  return course;
}

/** What the planner sees now. */
export function viewOf({ view, machines }: Course): PoolView {
  const all = [...machines.values()];
  const hashes = all.map(({ modelHash }) => modelHash);
  return { ...view, machines: all, modelsInUse: [...new Set([...hashes, view.setHash ?? view.desiredHash])] };
}

/** How many machines the rollout has created so far. */
export function madeBy({ nextKey, firstKey }: Course): number {
  return nextKey - firstKey;
}

/** Advances to the next due time and applies everything that is due then; false when nothing is due. */
export function moveOn(course: Course): boolean {
  if (course.due.length === 0) return false;
  const atMs = Math.min(...course.due.map((one) => one.atMs));
  const now = course.due.filter((one) => one.atMs === atMs);
  course.due = course.due.filter((one) => one.atMs !== atMs);
  waitUntil(course, atMs);
  for (const { happen } of now) happen();
  return true;
}

/** Advances the time without applying any event. */
export function waitUntil(course: Course, nowMs: number): void {
  course.view = { ...course.view, nowMs };
}

type Effects = {
  readonly [Name in PoolAction["action"]]: (
    course: Course,
    action: Extract<PoolAction, { readonly action: Name }>,
  ) => void;
};

const EFFECTS: Effects = {
  PutModel: startPut,
  SetCapacity: startPut,
  CreateMachineResource: (course, { detail }) => adopt(course, detail),
  DeleteMachine: (course, { targets }) => onEach(course, targets, startDeletion),
  UpdateMachineInPlace: (course, { targets, detail }) =>
    onEach(course, targets, (_, key) => startUpdate(course, key, detail.hash)),
  DeleteMachineResource: (course, { targets }) =>
    onEach(course, targets, (_, key) => course.machines.delete(key)),
  RevertUpdateAnnotation: (course, { targets }) => onEach(course, targets, revertUpdate),
  ClearSurge: (course, { targets }) =>
    onEach(course, targets, (_, key) => change(course, key, { isSurge: false })),
  SwitchImage: bringInOrder,
  RenewBootstrapData: bringInOrder,
  PatchTags: bringInOrder,
  // The forecast simulates operations on instances as a part of deletions and updates.
  StartInstanceOperation: () => undefined,
  Wait: () => undefined,
};

/** Applies the immediate effects of an action and schedules the later ones. */
export function performActions(course: Course, action: PoolAction): void {
  // The record pairs each effect with its own action by type; here the name does.
  (EFFECTS[action.action] as (course: Course, action: PoolAction) => void)(course, action);
}

function onEach(
  course: Course,
  targets: readonly string[],
  happen: (course: Course, key: number) => void,
): void {
  for (const key of keysOf(course, targets)) happen(course, key);
}

function bringInOrder(course: Course): void {
  course.view = inOrder(course.view);
}

/** A write of the scale set also writes its image, its bootstrap data and its tags. */
function inOrder({ tags, bootImage, bootstrapData, ...view }: PoolView): PoolView {
  return {
    ...view,
    ...(tags && { tags: { ...tags, observed: tags.desired } }),
    ...(bootImage && { bootImage: { ...bootImage, isInUse: true } }),
    ...(bootstrapData && { bootstrapData: { ...bootstrapData, isValid: true, isSuperseded: false } }),
  };
}

function revertUpdate(course: Course, key: number): void {
  change(course, key, { isUpdateUnplanned: false, picked: undefined, updatingToHash: undefined });
  becomeAvailable(course, key);
}

function goOnWith(course: Course, key: number, machine: MachineView): void {
  const { times } = course;
  if (machine.vmState === "Deleting") {
    later(course, times("delete"), () => course.machines.delete(key));
  } else if (machine.isDeleting) {
    startDeletion(course, key);
  } else if (machine.picked === "update" && machine.isUpdateUnplanned !== true) {
    startUpdate(course, key, machine.updatingToHash ?? course.view.desiredHash);
  } else if (isComing(machine, course.view.nowMs)) {
    const createMs = machine.vmState === "Running" ? 0 : times("create");
    later(course, createMs + times("boot") + times("minReady"), () => becomeAvailable(course, key));
  }
}

/** Whether a machine that is unavailable now is expected to become available. */
function isComing(machine: MachineView, nowMs: number): boolean {
  if (machine.isAvailable || isLeaving(machine) || isBroken(machine)) return false;
  return machine.instanceID !== undefined && !isLongUnavailable(machine, nowMs);
}

type Put = Extract<PoolAction, { action: "PutModel" | "SetCapacity" }>;

function startPut(course: Course, action: Put): void {
  const { view } = course;
  const add = Math.max(0, action.detail.to - liveCount(course));
  course.view = {
    ...inOrder(view),
    capacity: action.detail.to,
    operation: { kind: action.action, sinceMs: view.nowMs },
  };
  endOperationLater(course, add, action.action === "PutModel" ? action.detail.hash : view.setHash);
}

/** Each machine exists as soon as Azure has created it; the operation ends with the slowest one. */
function endOperationLater(course: Course, add: number, hash = course.view.desiredHash): void {
  const { times } = course;
  const putMs = times("put");
  const createdMs = Array.from({ length: add }, () => putMs + times("create"));
  for (const atMs of createdMs) later(course, atMs, () => addMachine(course, hash));
  later(course, Math.max(putMs, ...createdMs) + times("notice"), () => {
    course.view = {
      ...course.view,
      setHash: hash,
      isSetFailed: false,
      isModelRejected: false,
      operation: undefined,
    };
  });
}

function addMachine(course: Course, modelHash: string): void {
  const { view, times } = course;
  const key = course.nextKey++;
  course.machines.set(key, {
    pool: view.name,
    name: undefined,
    instanceID: String(course.nextInstance++),
    createdMs: view.nowMs,
    modelHash,
    vmState: "Running",
    isAvailable: false,
    unavailableSinceMs: view.nowMs,
    isDeleting: false,
    deletedByUser: false,
    hasDeleteAnnotation: false,
    isSurge: false,
    picked: undefined,
    updatingToHash: undefined,
  });
  later(course, times("boot") + times("minReady"), () => becomeAvailable(course, key));
}

function startDeletion(course: Course, key: number): void {
  const { times } = course;
  const drainedMs = times("drain");
  change(course, key, { isDeleting: true, picked: "delete" });
  const listedMs = drainedMs + times("list");
  later(course, listedMs, () => {
    change(course, key, { vmState: "Deleting" });
    // Azure lowers the capacity as soon as it accepts the deletion.
    course.view = { ...course.view, capacity: Math.max(0, course.view.capacity - 1) };
  });
  later(course, Math.max(listedMs, drainedMs + times("delete") + times("notice")), () =>
    course.machines.delete(key),
  );
}

function startUpdate(course: Course, key: number, hash: string): void {
  const { times } = course;
  const steps = ["drain", "notice", "update", "notice", "boot", "minReady"] as const;
  const updatedMs = steps.reduce((sum, step) => sum + times(step), 0);
  change(course, key, { picked: "update", updatingToHash: hash });
  later(course, updatedMs, () => {
    change(course, key, { modelHash: hash, picked: undefined, updatingToHash: undefined });
    becomeAvailable(course, key);
  });
}

function becomeAvailable(course: Course, key: number): void {
  change(course, key, { vmState: "Running", isAvailable: true, unavailableSinceMs: undefined });
}

function adopt(
  course: Course,
  { instanceIDs, surgeInstanceIDs = [] }: Extract<PoolAction, { action: "CreateMachineResource" }>["detail"],
): void {
  const desired = new Set(instanceIDs);
  const surge = new Set(surgeInstanceIDs);
  for (const [key, { instanceID }] of course.machines) {
    if (instanceID === undefined || !desired.has(instanceID)) continue;
    const name = machineResourceName(course.view.name, instanceID);
    change(course, key, { name, isSurge: surge.has(instanceID) });
  }
}

function keysOf({ machines }: Course, targets: readonly string[]): readonly number[] {
  const names = new Set(targets);
  return [...machines].flatMap(([key, { name }]) => (name !== undefined && names.has(name) ? [key] : []));
}

function change({ machines }: Course, key: number, differences: Partial<MachineView>): void {
  const machine = machines.get(key);
  if (machine) machines.set(key, { ...machine, ...differences });
}

function later(course: Course, afterMs: number, happen: () => void): void {
  course.due.push({ atMs: course.view.nowMs + afterMs, happen });
}

function liveCount({ machines }: Course): number {
  return [...machines.values()].filter(isLive).length;
}
