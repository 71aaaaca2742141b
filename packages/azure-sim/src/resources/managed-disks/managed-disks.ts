import { uuidFrom } from "@capstan/env";
import { reply } from "../../arm/answer.ts";
import { ArmError } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { keyOf, resourceId } from "../../arm/target.ts";
import { type AzureState, type Effect, nextRng } from "../../core/azure-state.ts";
import { type JsonObject, objectAt, textAt, valueAt } from "../../json.ts";
import { COMPUTE, computeBody, removeOrSucceed } from "../compute/compute-write.ts";
import { foundResource, visibleIn } from "../found.ts";
import { DISKS, MANAGED_DISKS, putDisk } from "./disk-write.ts";
import type { ResourceType, Verb } from "../resource-type.ts";
import type { VirtualMachine } from "../virtual-machines/virtual-machines.ts";

const PAGE = 100;
// What images of the catalog take; Azure takes the size of the image.
const IMAGE_SIZE_GB = 30;

/** Creates a disk with its machine. */
export function attachDisk(
  world: AzureState,
  machine: VirtualMachine,
  disk: { readonly id: string; readonly part: JsonObject; readonly isOsDisk: boolean },
): void {
  const { id, part, isOsDisk } = disk;
  const osType = textAt(part, "osType") ?? "Linux";
  world.resources.put({
    id,
    name: id.split("/").at(-1) ?? "",
    type: MANAGED_DISKS,
    location: machine.location,
    body: {
      managedBy: machine.id,
      sku: { name: textAt(part, "managedDisk", "storageAccountType") ?? "Standard_LRS" },
      ...(machine.zone !== undefined && { zones: [machine.zone] }),
      properties: {
        ...(isOsDisk && { osType }),
        creationData: { createOption: textAt(part, "createOption") ?? "FromImage" },
        diskSizeGB: valueAt(part, "diskSizeGB") ?? IMAGE_SIZE_GB,
        diskState: "Attached",
        timeCreated: new Date(world.nowMs).toISOString(),
        uniqueId: uuidFrom(nextRng(world, id, "uniqueId")),
      },
    },
    etag: "",
    state: "Succeeded",
    createdMs: world.nowMs,
    visibleMs: world.nowMs,
    uses: [],
  });
}

/** Attaches an existing disk to a machine. */
export function attachExistingDisk(world: AzureState, id: string, machineId: string): void {
  const resource = world.resources.get(id);
  if (!resource) return;
  const properties = { ...objectAt(resource.body, "properties"), diskState: "Attached" };
  world.resources.put({ ...resource, body: { ...resource.body, managedBy: machineId, properties } });
}

/** Leaves a disk behind whose machine is deleted. */
export function detachDisk(world: AzureState, id: string): void {
  const resource = world.resources.get(id);
  if (!resource) return;
  const { managedBy: _, ...body } = resource.body;
  const properties = { ...objectAt(body, "properties"), diskState: "Unattached" };
  world.resources.put({ ...resource, body: { ...body, properties } });
}

const removed: Effect = (world, { id }) => world.disks.discard(keyOf(String(id)));

const deleteDisk: Verb = (call, world) => {
  const resource = world.resources.get(resourceId(call.target, [DISKS]));
  const machine = textAt(resource?.body, "managedBy");
  if (resource && machine !== undefined) {
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: `Disk ${resource.name} is attached to VM ${machine}.`,
    });
  }
  return removeOrSucceed(call, world, resource);
};

/**
 * Managed disks. Machines create them; a PUT of a disk alone makes a copy of a snapshot. Those of Uniform scale sets are not
 * resources: a GET answers 404 although a snapshot may name them as its source.
 */
export const managedDisks: ResourceType = {
  provider: COMPUTE,
  type: DISKS,
  get: (call, world) => reply(200, computeBody(foundResource(call, world))),
  list: (call, world) => {
    const page = pageOf(visibleIn(world, call.target, MANAGED_DISKS), call.query, PAGE);
    return listAnswer(
      page.items.map((disk) => computeBody(disk)),
      page.nextSkip,
      call,
    );
  },
  put: putDisk,
  delete: deleteDisk,
  effects: { [`${MANAGED_DISKS}.removed`]: removed },
};
