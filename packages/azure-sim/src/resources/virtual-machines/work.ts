import { createRng } from "@capstan/env";
import type { ErrorBody } from "../../arm/errors.ts";
import { latencyMs, type AzureState, type Effect } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";
import type { MachineEvent } from "../../machines/machine-events.ts";
import type { PowerState } from "../../machines/machine.ts";
import type { Operation } from "../../operations/operation.ts";
import { MACHINE_REMOVED } from "../scale-sets/instance-effects.ts";
import { detach } from "./attachments.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

/** The kinds of work on a virtual machine. */
export type MachineWork =
  | "create"
  | "update"
  | "resize"
  | "delete"
  | "deallocate"
  | "start"
  | "poweroff"
  | "restart"
  | "redeploy"
  | "reapply";

/** The effect that ends a piece of work on a virtual machine. */
export const MACHINE_DONE = "virtualMachine.done";

const POWER_DURING: Readonly<Partial<Record<MachineWork, PowerState>>> = {
  deallocate: "deallocating",
  start: "starting",
  poweroff: "stopping",
  restart: "starting",
  redeploy: "starting",
};

/** Starts work on a machine; its operation ends together with the work. */
export function startMachineWork(
  world: AzureState,
  machine: VirtualMachine,
  work: { readonly kind: MachineWork; readonly operation: Operation; readonly error?: ErrorBody | undefined },
): void {
  const { kind, operation, error } = work;
  machine.flight += 1;
  const rng = createRng(world.seed, `${machine.vmId}/${kind}/${machine.flight}`);
  const endMs = world.nowMs + latencyMs(world, `virtualMachine.${kind}`, rng);
  if (machine.operation !== undefined) world.operations.preempt(machine.operation, world.nowMs);
  machine.operation = operation.id;
  const powerBefore = machine.power;
  machine.power = POWER_DURING[kind] ?? machine.power;
  setState(world, machine, kind === "delete" ? "Deleting" : kind === "create" ? "Creating" : "Updating");
  const { machineId, vmId, flight } = machine;
  const done = { machineId, vmId, flight, kind, powerBefore, ...(error && { error }) };
  world.agenda.enter(endMs, MACHINE_DONE, done);
  world.operations.start({ ...operation, ...(error && { error }) }, endMs);
}

interface Done {
  readonly machineId: string;
  readonly vmId: string;
  readonly flight: number;
  readonly kind: MachineWork;
  /** Stores of older releases have none. */
  readonly powerBefore?: PowerState;
  readonly error?: ErrorBody;
}

/** Ends a piece of work, unless newer work has started or another machine has the name. */
export const endMachineWork: Effect = (world, args) => {
  const { machineId, vmId, flight, kind, powerBefore, error } = args as JsonObject & Done;
  const machine = world.virtualMachines.get(machineId);
  if (machine?.vmId !== vmId || machine.flight !== flight) return;
  machine.operation = undefined;
  machine.error = error;
  if (error) fail(world, machine, powerBefore);
  else if (kind === "delete") removeMachine(world, machine);
  else succeed(world, machine, END[kind]);
};

/** A start or stop that failed leaves the machine as it was. */
function fail(world: AzureState, machine: VirtualMachine, powerBefore = machine.power): void {
  machine.power = powerBefore;
  if (powerBefore === "deallocated") unplaceMachine(world, machine);
  setState(world, machine, "Failed");
}

function succeed(world: AzureState, machine: VirtualMachine, { power, events }: WorkEnd): void {
  const { machineId } = machine;
  machine.power = power ?? machine.power;
  const isRunning = machine.power === "running";
  if (machine.power === "deallocated") unplaceMachine(world, machine);
  if (isRunning && events.length > 0) machine.starts = (machine.starts ?? 0) + 1;
  setState(world, machine, "Succeeded");
  // A machine that does not run has no guest that could notice a restart.
  if (power !== undefined || isRunning) for (const event of events) world.notify({ kind: event, machineId });
}

interface WorkEnd {
  /** What the machine does afterwards; unchanged unless given. */
  readonly power?: PowerState;
  readonly events: readonly MachineEvent["kind"][];
}

const REBOOT: WorkEnd = { power: "running", events: ["stopped", "started"] };

const END: Readonly<Record<Exclude<MachineWork, "delete">, WorkEnd>> = {
  create: { power: "running", events: ["booted"] },
  update: { events: [] },
  // Another size restarts a running machine.
  resize: { events: ["stopped", "started"] },
  deallocate: { power: "deallocated", events: ["stopped"] },
  poweroff: { power: "stopped", events: ["stopped"] },
  start: { power: "running", events: ["started"] },
  restart: REBOOT,
  redeploy: REBOOT,
  reapply: { events: [] },
};

/** Sets the provisioning state of a machine, in its record and its resource. */
export function setState(world: AzureState, machine: VirtualMachine, state: VirtualMachine["state"]): void {
  machine.state = state;
  machine.changedMs = world.nowMs;
  world.virtualMachines.save(machine);
  world.resources.update(machine.id, { state });
}

/** The guest has powered its machine off: it keeps its place, and is billed. Work that runs on the machine goes on. */
export function powerOffFromInside(world: AzureState, machineId: string): void {
  const machine = world.virtualMachines.get(machineId);
  if (machine?.power !== "running") return;
  machine.power = "stopped";
  machine.changedMs = world.nowMs;
  world.virtualMachines.save(machine);
  world.notify({ kind: "stopped", machineId });
}

/** Removes a machine: uncounts its cores, detaches disks and interfaces, deletes the resource. */
export function removeMachine(world: AzureState, machine: VirtualMachine): void {
  const resource = world.resources.get(machine.id);
  if (resource) detach(world, machine, resource);
  countMachine(world, machine, -1);
  world.disks.discard(machine.machineId);
  world.virtualMachines.drop(machine);
  world.resources.delete(machine.id);
  world.effects.get(MACHINE_REMOVED)?.(world, { machineId: machine.machineId });
  world.notify({ kind: "deleted", machineId: machine.machineId });
}

/** Takes the place on hardware from a machine that is deallocated. */
export function unplaceMachine(world: AzureState, machine: VirtualMachine): void {
  if (machine.isUnplaced === true) return;
  machine.isUnplaced = true;
  world.usage.place({ location: machine.location, size: machine.size, instances: -1 });
}

/** Gives a deallocated machine a place on hardware again; false when the region has none for its size. */
export function placeMachine(world: AzureState, machine: VirtualMachine): boolean {
  if (machine.isUnplaced !== true) return true;
  const { subscription, location, size, isSpot } = machine;
  if (world.usage.room({ subscription, location, size, isSpot, instances: 1 }) < 1) return false;
  machine.isUnplaced = false;
  world.usage.place({ location, size, instances: 1 });
  return true;
}

/** Counts a machine against quota and capacity, or uncounts it. */
export function countMachine(world: AzureState, machine: VirtualMachine, instances: 1 | -1): void {
  const { subscription, location, size, isSpot } = machine;
  world.usage.count({ subscription, location, size, isSpot, instances });
  if (machine.isUnplaced === true) world.usage.place({ location, size, instances: -instances });
}
