/** A tiny world for stories: pools, their scale sets in Azure and the Nodes, moved one small step at a time. */
import type { PoolAction } from "../action.ts";
import { machineResourceName } from "../plan.ts";
import { missingNames, observeMissing } from "../removal-guard.ts";
import type { MachineView, PoolView, RemovalGuard, SetOperation, VmState } from "../view.ts";

/** The spec of a pool. */
interface SimSpec {
  desired: number;
  maxSurge: number | string;
  maxUnavailable: number | string;
  deletePolicy: PoolView["deletePolicy"];
  instanceUpdate: PoolView["instanceUpdate"];
  hash: string;
  isExternallyScaled: boolean;
  isPaused: boolean;
}

/** The true state of one machine. */
export interface SimMachine {
  readonly pool: string;
  readonly instanceID: string;
  name: string | undefined;
  readonly createdMs: number;
  hash: string;
  vmState: VmState | "Gone";
  isReady: boolean;
  unavailableSinceMs: number | undefined;
  isDeleting: boolean;
  deletedByUser: boolean;
  isMarked: boolean;
  isSurge: boolean;
  picked: "delete" | "update" | undefined;
}

/** The true state of one pool and its scale set. */
export interface SimPool {
  readonly name: string;
  readonly spec: SimSpec;
  setHash: string | undefined;
  capacity: number;
  operation: (SetOperation & { readonly hash: string; readonly add: number }) | undefined;
  nextInstance: number;
  guard: RemovalGuard | undefined;
  allowedRemovals: number | undefined;
  /** Whether Azure's lists are empty although the instances exist. */
  isListBlind: boolean;
}

/** All pools and machines. */
export interface SimWorld {
  nowMs: number;
  readonly pools: SimPool[];
  machines: SimMachine[];
  /** Models whose Nodes never become ready, and models whose VMs fail. */
  readonly neverReady: Set<string>;
  readonly failing: Set<string>;
  isReachable: boolean;
}

/** An event that can happen next. */
export interface Move {
  readonly about: string;
  readonly happen: () => void;
}

export function emptyWorld(): SimWorld {
  return {
    nowMs: 0,
    pools: [],
    machines: [],
    neverReady: new Set(),
    failing: new Set(),
    isReachable: true,
  };
}

/** Whether the machine truly works: its deletion or update has not started, and VM and Node are healthy. */
export function trulyAvailable(machine: SimMachine): boolean {
  const isRunning = machine.vmState === "Running" || machine.vmState === "Failed";
  return isRunning && machine.isReady && !machine.isDeleting && machine.picked !== "update";
}

/** The instances of a pool that Azure has not begun to delete. */
export function trulyLive(world: SimWorld, pool: string): readonly SimMachine[] {
  return world.machines.filter(
    (machine) => machine.pool === pool && machine.vmState !== "Deleting" && machine.vmState !== "Gone",
  );
}

/** Records since when each machine is unavailable, as its conditions do. */
export function noteAvailability(world: SimWorld): void {
  for (const machine of world.machines) {
    machine.unavailableSinceMs = trulyAvailable(machine)
      ? undefined
      : (machine.unavailableSinceMs ?? world.nowMs);
  }
}

/** The view of a pool; it contains the machines of all pools, because a list may contain machines of others. */
export function viewOf(world: SimWorld, pool: SimPool): PoolView {
  const ours = world.machines.filter((machine) => machine.pool === pool.name);
  const nodes = ours.filter((machine) => machine.vmState !== "Creating" && machine.vmState !== "Gone");
  const machines = world.machines.map((machine) => machineView(machine, pool));
  const { hash, ...spec } = pool.spec;
  const view: PoolView = {
    ...spec,
    namespace: "default",
    name: pool.name,
    desiredHash: hash,
    setHash: pool.setHash,
    isSetFailed: false,
    isModelRejected: false,
    capacity: pool.capacity,
    operation: pool.operation && { kind: pool.operation.kind, sinceMs: pool.operation.sinceMs },
    modelsInUse: [...new Set([...ours.map((machine) => machine.hash), pool.setHash ?? hash])],
    workload: {
      isReachable: world.isReachable,
      nodes: nodes.length,
      notReady: nodes.filter((machine) => !machine.isReady).length,
    },
    removalGuard: undefined,
    allowedRemovals: pool.allowedRemovals,
    machines: machines.filter((machine) => machine.name !== undefined || machine.instanceID !== undefined),
    nowMs: world.nowMs,
    seed: pool.name,
  };
  pool.guard = observeMissing(pool.guard, missingNames(view), world.nowMs);
  return { ...view, removalGuard: pool.guard };
}

function machineView(machine: SimMachine, pool: SimPool): MachineView {
  const isSeen = machine.vmState !== "Gone" && !pool.isListBlind;
  return {
    pool: machine.pool,
    name: machine.name,
    instanceID: isSeen ? machine.instanceID : undefined,
    createdMs: machine.createdMs,
    modelHash: machine.hash,
    vmState: machine.vmState === "Gone" || !isSeen ? "Unknown" : machine.vmState,
    isAvailable: trulyAvailable(machine),
    unavailableSinceMs: machine.unavailableSinceMs,
    isDeleting: machine.isDeleting,
    deletedByUser: machine.deletedByUser,
    hasDeleteAnnotation: machine.isMarked,
    isSurge: machine.isSurge,
    picked: machine.picked,
    updatingToHash: machine.picked === "update" ? pool.setHash : undefined,
  };
}

/** What Azure, the Nodes and the machine controllers can do next. */
export function movesOf(world: SimWorld): readonly Move[] {
  const operations = world.pools.flatMap((pool) => operationMoves(world, pool));
  return [...operations, ...world.machines.flatMap((machine) => machineMoves(world, machine))];
}

function operationMoves(world: SimWorld, pool: SimPool): readonly Move[] {
  const { operation } = pool;
  if (operation === undefined) return [];
  const happen = (): void => {
    pool.setHash = operation.hash;
    pool.operation = undefined;
    addInstances(world, pool, operation.add);
  };
  return [{ about: `${pool.name}: ${operation.kind} done, ${operation.add} new`, happen }];
}

/** Azure creates instances of the model that the scale set has. */
export function addInstances(world: SimWorld, pool: SimPool, count: number): void {
  for (let made = 0; made < count; made++) {
    world.machines.push({
      pool: pool.name,
      instanceID: String(pool.nextInstance++),
      name: undefined,
      createdMs: world.nowMs,
      hash: pool.setHash ?? pool.spec.hash,
      vmState: "Creating",
      isReady: false,
      unavailableSinceMs: world.nowMs,
      isDeleting: false,
      deletedByUser: false,
      isMarked: false,
      isSurge: false,
      picked: undefined,
    });
  }
}

function machineMoves(world: SimWorld, machine: SimMachine): readonly Move[] {
  const label = `${machine.pool}/${machine.instanceID}`;
  const pool = world.pools.find(({ name }) => name === machine.pool);
  if (machine.vmState === "Deleting" || (machine.vmState === "Gone" && machine.isDeleting)) {
    return [{ about: `${label} gone`, happen: () => remove(world, machine) }];
  }
  if (machine.vmState === "Gone" || pool === undefined) return [];
  if (machine.isDeleting) {
    const happen = (): void => {
      machine.vmState = "Deleting";
      pool.capacity--;
    };
    return [{ about: `${label} drained, Azure deletes it`, happen }];
  }
  return lifeMoves(world, machine, pool);
}

function lifeMoves(world: SimWorld, machine: SimMachine, pool: SimPool): readonly Move[] {
  const label = `${machine.pool}/${machine.instanceID}`;
  if (machine.vmState === "Creating") {
    return [{ about: `${label} boots with model ${machine.hash}`, happen: () => boot(world, machine) }];
  }
  const isHopeless = world.neverReady.has(machine.hash) || world.failing.has(machine.hash);
  // A Node that does not become Ready with this model may become Ready with the next one.
  if (machine.picked !== "update" || (machine.hash === pool.setHash && isHopeless)) return [];
  const happen = (): void => {
    machine.hash = pool.setHash ?? machine.hash;
    boot(world, machine);
    if (machine.isReady) machine.picked = undefined;
  };
  return [{ about: `${label} updated to model ${pool.setHash}`, happen }];
}

function boot(world: SimWorld, machine: SimMachine): void {
  machine.vmState = world.failing.has(machine.hash) ? "Failed" : "Running";
  machine.isReady = machine.vmState === "Running" && !world.neverReady.has(machine.hash);
}

function remove(world: SimWorld, machine: SimMachine): void {
  world.machines = world.machines.filter((other) => other !== machine);
}

function removeResources(world: SimWorld, machines: readonly SimMachine[]): void {
  for (const machine of machines) {
    if (machine.vmState === "Gone") remove(world, machine);
    else Object.assign(machine, { name: undefined, isMarked: false, picked: undefined });
  }
}

interface Deed<Name extends PoolAction["action"]> {
  readonly pool: SimPool;
  readonly action: Extract<PoolAction, { readonly action: Name }>;
  readonly targets: readonly SimMachine[];
  readonly dies: boolean;
}

const DEEDS: { readonly [Name in PoolAction["action"]]?: (world: SimWorld, deed: Deed<Name>) => void } = {
  PutModel: (world, { pool, action }) => startPut(world, pool, action),
  SetCapacity: (world, { pool, action }) => startPut(world, pool, action),
  DeleteMachine: (_, { targets, dies }) => {
    for (const machine of targets) Object.assign(machine, { picked: "delete", isDeleting: !dies });
  },
  UpdateMachineInPlace: (_, { targets }) => {
    for (const machine of targets) machine.picked = "update";
  },
  CreateMachineResource: (world, { pool, action }) => adopt(world, pool, action.detail),
  DeleteMachineResource: (world, { targets }) => removeResources(world, targets),
  ClearSurge: (_, { targets }) => {
    for (const machine of targets) machine.isSurge = false;
  },
};

/** Performs one action as the controllers do; `dies` ends the process after it has written the pick. */
export function performActions(
  world: SimWorld,
  { pool, action, dies }: { readonly pool: SimPool; readonly action: PoolAction; readonly dies: boolean },
): void {
  const perform = DEEDS[action.action] as ((world: SimWorld, deed: object) => void) | undefined;
  if (!perform) throw new Error(`${action.action}: the world of stories has no facts that lead to it`);
  perform(world, { pool, action, targets: targetsOf(world, action), dies });
}

function targetsOf(world: SimWorld, { targets }: PoolAction): readonly SimMachine[] {
  return world.machines.filter(({ name }) => name !== undefined && targets.includes(name));
}

function startPut(
  world: SimWorld,
  pool: SimPool,
  action: Extract<PoolAction, { action: "PutModel" | "SetCapacity" }>,
): void {
  const hash = action.action === "PutModel" ? action.detail.hash : (pool.setHash ?? pool.spec.hash);
  const add = Math.max(0, action.detail.to - trulyLive(world, pool.name).length);
  pool.operation = { kind: action.action, sinceMs: world.nowMs, hash, add };
  pool.capacity = action.detail.to;
}

function adopt(
  world: SimWorld,
  pool: SimPool,
  { instanceIDs, surgeInstanceIDs = [] }: Extract<PoolAction, { action: "CreateMachineResource" }>["detail"],
): void {
  for (const machine of world.machines) {
    if (machine.pool === pool.name && instanceIDs.includes(machine.instanceID)) {
      machine.name = machineResourceName(pool.name, machine.instanceID);
      machine.isSurge = surgeInstanceIDs.includes(machine.instanceID);
    }
  }
}
