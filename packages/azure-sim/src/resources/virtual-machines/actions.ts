import { empty } from "../../arm/answer.ts";
import { ArmError, beingDeleted, concurrentRequest } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { resourceId } from "../../arm/target.ts";
import { type Effect, latencyMs, nextRng } from "../../core/azure-state.ts";
import { faultError } from "../../faults/faults.ts";
import { type JsonObject, textAt } from "../../json.ts";
import { acceptedAction, newOperation } from "../../operations/start.ts";
import type { Verb } from "../resource-type.ts";
import { allocationFailed } from "../scale-sets/growth.ts";
import { notSpot } from "../scale-sets/eviction.ts";
import { COMPUTE } from "../compute/compute-write.ts";
import { VIRTUAL_MACHINES } from "./desired.ts";
import { foundMachine } from "./reads.ts";
import {
  type MachineWork,
  placeMachine,
  removeMachine,
  setState,
  startMachineWork,
  unplaceMachine,
} from "./work.ts";

/** The effect that evicts a spot machine. */
export const MACHINE_EVICTED = "virtualMachine.evicted";

/** An action such as start or deallocate: one at a time on each machine. */
export function machineAction(kind: MachineWork): Verb {
  return (call, world) => {
    const { resource, machine } = foundMachine(call, world);
    if (machine.state === "Deleting") throw beingDeleted(resource.id);
    if (machine.operation !== undefined) throw concurrentRequest();
    if (kind === "restart" && machine.power !== "running") throw notRunning(resource.name);
    if (kind === "deallocate" && hasEphemeralDisk(resource.body)) throw notDeallocatable(resource.name);
    // Compute finds out that a region is full only after it has accepted the start.
    const full = kind === "start" && !placeMachine(world, machine) ? allocationFailed() : undefined;
    const error = full ?? faultError(call, "operationFails");
    const { id, location } = machine;
    const operation = newOperation(call, world, { resourceId: id, location, provider: COMPUTE, error });
    startMachineWork(world, machine, { kind, operation, error });
    return acceptedAction(call, world, operation);
  };
}

function hasEphemeralDisk(body: JsonObject): boolean {
  return textAt(body, "properties", "storageProfile", "osDisk", "diffDiskSettings", "option") === "Local";
}

function notDeallocatable(name: string): ArmError {
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message: `Operation 'deallocate' is not supported on VM '${name}' because it uses an ephemeral OS disk.`,
  });
}

function notRunning(name: string): ArmError {
  return new ArmError(409, {
    code: "OperationNotAllowed",
    message: `Cannot restart VM '${name}' because it is not running. Start it instead.`,
  });
}

/** DELETE of a machine; succeeds when it does not exist, and preempts a running operation on it. */
export const deleteMachine: Verb = (call, world) => {
  const id = resourceId(call.target, [VIRTUAL_MACHINES]);
  const resource = world.resources.get(id);
  const machine = world.virtualMachines.get(id);
  if (!resource || !machine) return empty(204);
  checkPreconditions(call.headers, resource.etag);
  const running = world.operations.get(machine.operation ?? "");
  if (machine.state === "Deleting" && running?.status === "InProgress")
    return acceptedAction(call, world, running);
  const error = faultError(call, "operationFails");
  const { location } = machine;
  const operation = newOperation(call, world, { resourceId: machine.id, location, provider: COMPUTE, error });
  startMachineWork(world, machine, { kind: "delete", operation, error });
  return acceptedAction(call, world, operation);
};

/** POST simulateEviction: accepted at once, effective within minutes. */
export const evictMachineLater: Verb = (call, world) => {
  const { machine } = foundMachine(call, world);
  if (!machine.isSpot) throw notSpot();
  const delayMs = latencyMs(world, "instance.evict", nextRng(world, machine.id, "evict"));
  const { machineId, vmId } = machine;
  world.agenda.enter(world.nowMs + delayMs, MACHINE_EVICTED, { machineId, vmId });
  return empty(204);
};

/** Deallocates or deletes a spot machine by its eviction policy, also while another operation runs on it. */
export const evictMachine: Effect = (world, args) => {
  const machine = world.virtualMachines.get(textAt(args, "machineId") ?? "");
  if (!machine || machine.vmId !== textAt(args, "vmId") || machine.state === "Deleting") return;
  machine.flight += 1;
  const { body } = world.resources.get(machine.id) ?? {};
  if (textAt(body, "properties", "evictionPolicy") === "Delete") {
    removeMachine(world, machine);
    return;
  }
  machine.power = "deallocated";
  machine.operation = undefined;
  unplaceMachine(world, machine);
  setState(world, machine, "Succeeded");
  world.notify({ kind: "stopped", machineId: machine.machineId });
};
