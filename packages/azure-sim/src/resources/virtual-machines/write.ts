import { createRng, uuidFrom } from "@capstan/env";
import type { Answer } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, beingDeleted, type ErrorBody } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { keyOf, resourceId } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import { nextRng, visibleMs, type AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { faultError } from "../../faults/faults.ts";
import { type JsonObject, mergePatch, objectAt } from "../../json.ts";
import { acceptedWrite, newOperation } from "../../operations/start.ts";
import { foundResource } from "../found.ts";
import { allocationFailed } from "../scale-sets/growth.ts";
import { withKeptSecrets } from "../scale-sets/models.ts";
import { attach, attachedDiskOf, disksOf } from "./attachments.ts";
import { machineBody } from "./body.ts";
import { COMPUTE } from "../compute/compute-write.ts";
import { checkUnchanged, type DesiredMachine, desiredMachine, VIRTUAL_MACHINES } from "./desired.ts";
import { checkResize, hasRoomFor } from "./resize.ts";
import type { VirtualMachine } from "./virtual-machines.ts";
import { countMachine, startMachineWork } from "./work.ts";

/** PUT: creates the machine, or updates it to the body. */
export function putMachine(call: Call, world: AzureState): Answer {
  const id = resourceId(call.target, [VIRTUAL_MACHINES]);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const body = requireBody(call.body);
  if (!existing) return create(call, world, { id, body });
  return update(call, world, { existing, body: completed(body, existing.body) });
}

/** PATCH: merges the body into the stored one. */
export function patchMachine(call: Call, world: AzureState): Answer {
  const existing = foundResource(call, world);
  checkPreconditions(call.headers, existing.etag);
  const given = requireBody(call.body);
  const merged = mergePatch(existing.body, given) as JsonObject;
  // Tags are replaced as a whole.
  const body = { ...merged, ...("tags" in given && { tags: given["tags"] }) };
  return update(call, world, { existing, body });
}

/** A PUT keeps the fields of an existing machine that its body leaves out. */
function completed(body: JsonObject, before: JsonObject): JsonObject {
  const properties = { ...objectAt(before, "properties"), ...objectAt(body, "properties") };
  return {
    ...before,
    ...body,
    properties: withKeptSecrets(properties, objectAt(before, "properties")),
  };
}

function create(
  call: Call,
  world: AzureState,
  { id, body }: { readonly id: string; readonly body: JsonObject },
): Answer {
  const desired = desiredMachine(world, id, body);
  checkDiskNames(world, id, body);
  const demand = { ...desired, subscription: call.target.subscription ?? "", instances: 1 };
  world.usage.checkQuota(demand);
  // Compute finds out that a region is full only after it has accepted the machine.
  const full = world.usage.room(demand) < 1 ? allocationFailed() : undefined;
  const machine = newMachine(world, id, { desired, subscription: demand.subscription });
  const resource = stored(world, { id, body, desired });
  world.resources.put(resource);
  world.virtualMachines.save(machine);
  countMachine(world, machine, 1);
  attach(world, machine, resource);
  world.notify({ kind: "created", machineId: machine.machineId });
  return begin({ call, world, machine }, { kind: "create", error: full, status: 201 });
}

function update(
  call: Call,
  world: AzureState,
  { existing, body }: { readonly existing: Resource; readonly body: JsonObject },
): Answer {
  const machine = world.virtualMachines.get(existing.id);
  if (!machine || existing.state === "Deleting") throw beingDeleted(existing.id);
  checkUnchanged(existing.body, body);
  const desired = desiredMachine(world, existing.id, body);
  const wantsResize = desired.size !== machine.size;
  if (wantsResize) checkResize(world, machine, { body, size: desired.size });
  // Compute accepts the request and fails later; the machine runs on in its size.
  const full = wantsResize && !hasRoomFor(world, machine, desired.size) ? allocationFailed() : undefined;
  const isResized = wantsResize && full === undefined;
  if (isResized) recount(world, machine, desired);
  const etag = `"${Number(existing.etag.replaceAll('"', "")) + 1}"`;
  world.resources.put({ ...existing, body: withoutReadOnly(body, desired), etag });
  return begin(
    { call, world, machine },
    {
      kind: isResized ? "resize" : "update",
      error: full,
      status: 200,
    },
  );
}

/** Counts a machine in its new size; throws Compute's refusal if the quota does not have the difference. */
function recount(world: AzureState, machine: VirtualMachine, desired: DesiredMachine): void {
  countMachine(world, machine, -1);
  try {
    world.usage.checkQuota({ ...desired, subscription: machine.subscription, instances: 1 });
    machine.size = desired.size;
  } finally {
    countMachine(world, machine, 1);
  }
}

function begin(
  {
    call,
    world,
    machine,
  }: { readonly call: Call; readonly world: AzureState; readonly machine: VirtualMachine },
  work: {
    readonly kind: "create" | "update" | "resize";
    readonly error?: ErrorBody | undefined;
    readonly status: number;
  },
): Answer {
  const error = work.error ?? faultError(call, "operationFails");
  const { id: resourceID, location } = machine;
  const operation = newOperation(call, world, { resourceId: resourceID, location, provider: COMPUTE, error });
  startMachineWork(world, machine, { kind: work.kind, operation, error });
  const resource = world.resources.get(machine.id) as Resource;
  return acceptedWrite({ call, world, operation }, work.status, machineBody(resource, machine));
}

/** A disk that was left behind keeps its name: Compute does not overwrite it. */
function checkDiskNames(world: AzureState, id: string, body: JsonObject): void {
  const taken = disksOf(id, body).find(
    ({ id: disk, part }) => attachedDiskOf(part) === undefined && world.resources.get(disk) !== undefined,
  );
  if (!taken) return;
  throw new ArmError(409, {
    code: "ConflictingUserInput",
    message: `Disk ${taken.id.split("/").at(-1)} already exists in resource group ${taken.id.split("/")[4]}. Only CreateOption.Attach is supported.`,
    target: taken.id,
  });
}

function newMachine(
  world: AzureState,
  id: string,
  { desired, subscription }: { readonly desired: DesiredMachine; readonly subscription: string },
): VirtualMachine {
  const { location, size, isSpot, image, zone } = desired;
  const vmId = uuidFrom(nextRng(world, id, "vmId"));
  return {
    machineId: keyOf(id),
    id,
    subscription,
    location,
    vmId,
    principalId: uuidFrom(createRng(world.seed, `${vmId}/principal`)),
    ...(zone !== undefined && { zone }),
    isSpot,
    size,
    image,
    state: "Creating",
    power: "creating",
    createdMs: world.nowMs,
    changedMs: world.nowMs,
    flight: 0,
  };
}

function stored(
  world: AzureState,
  facts: { readonly id: string; readonly body: JsonObject; readonly desired: DesiredMachine },
): Resource {
  const { id, body, desired } = facts;
  return {
    id,
    name: id.split("/").at(-1) ?? "",
    type: `${COMPUTE}/${VIRTUAL_MACHINES}`,
    location: desired.location,
    body: withoutReadOnly(body, desired),
    etag: '"1"',
    state: "Creating",
    createdMs: world.nowMs,
    visibleMs: visibleMs(world, nextRng(world, id, "visible")),
    uses: [],
  };
}

function withoutReadOnly(body: JsonObject, { location }: DesiredMachine): JsonObject {
  const { id: _id, name: _name, type: _type, etag: _etag, ...rest } = body;
  const {
    provisioningState: _state,
    vmId: _vmId,
    instanceView: _view,
    timeCreated: _created,
    ...properties
  } = objectAt(body, "properties");
  return { ...rest, location, properties };
}
