import type { AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { keyOf } from "../../arm/target.ts";
import { copyContents, MANAGED_DISKS } from "../managed-disks/disk-write.ts";
import { attachDisk, attachExistingDisk, detachDisk } from "../managed-disks/managed-disks.ts";
import { NETWORK_REMOVED } from "../network/network-write.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

/** A disk of a machine: the part of the storage profile that describes it. */
interface DiskPart {
  readonly id: string;
  readonly part: JsonObject;
  readonly isOsDisk: boolean;
}

/** The managed disks of a machine by its body. */
export function disksOf(id: string, body: JsonObject): readonly DiskPart[] {
  const storage = objectAt(body, "properties", "storageProfile");
  const scope = id.split("/").slice(0, 5).join("/");
  const name = id.split("/").at(-1) ?? "";
  const diskId = (part: JsonObject, fallback: string): string =>
    attachedDiskOf(part) ?? `${scope}/providers/${MANAGED_DISKS}/${textAt(part, "name") ?? fallback}`;
  const osDisk = objectAt(storage, "osDisk");
  return [
    { id: diskId(osDisk, `${name}_OsDisk_1`), part: osDisk, isOsDisk: true },
    ...objectsAt(storage, "dataDisks").map((part, index) => ({
      id: diskId(part, `${name}_disk${index + 2}`),
      part,
      isOsDisk: false,
    })),
  ];
}

/** The existing disk that a part of the storage profile attaches; undefined when the machine creates the disk. */
export function attachedDiskOf(part: JsonObject): string | undefined {
  const isAttached = textAt(part, "createOption")?.toLowerCase() === "attach";
  return isAttached ? textAt(part, "managedDisk", "id") : undefined;
}

/** Creates or attaches the disks of a new machine, and attaches its network interfaces. */
export function attach(world: AzureState, machine: VirtualMachine, { body }: Resource): void {
  for (const { id, part, isOsDisk } of disksOf(machine.id, body)) {
    const existing = attachedDiskOf(part);
    if (existing === undefined) attachDisk(world, machine, { id, part, isOsDisk });
    else attachExistingDisk(world, existing, machine.id);
    // While a disk is attached, its files are those of its machine.
    if (existing !== undefined && isOsDisk) copyContents(world, existing, machine.machineId);
  }
  for (const nic of interfacesOf(body)) setMachine(world, nic, machine.id);
}

/** Detaches the disks and network interfaces of a machine; deletes those whose deleteOption says so. */
export function detach(world: AzureState, machine: VirtualMachine, { body }: Resource): void {
  for (const { id, part, isOsDisk } of disksOf(machine.id, body)) {
    const isCopied = isOsDisk && attachedDiskOf(part) !== undefined;
    if (isDeletedToo(part)) {
      world.resources.delete(id);
      world.disks.discard(keyOf(id));
      continue;
    }
    if (isCopied) copyContents(world, machine.machineId, id);
    detachDisk(world, id);
  }
  for (const nic of interfacesOf(body)) {
    setMachine(world, nic, undefined);
    const found = isDeletedToo(objectAt(nic, "properties"))
      ? world.resources.get(textAt(nic, "id") ?? "")
      : undefined;
    if (found) world.effects.get(NETWORK_REMOVED)?.(world, { id: found.id, operation: found.operation });
  }
}

function interfacesOf(body: JsonObject): readonly JsonObject[] {
  return objectsAt(body, "properties", "networkProfile", "networkInterfaces");
}

function isDeletedToo(part: JsonObject): boolean {
  return textAt(part, "deleteOption")?.toLowerCase() === "delete";
}

function setMachine(world: AzureState, nic: JsonObject, machineId: string | undefined): void {
  const resource = world.resources.get(textAt(nic, "id") ?? "");
  if (!resource) return;
  const { virtualMachine: _, ...properties } = objectAt(resource.body, "properties");
  const attached = machineId === undefined ? {} : { virtualMachine: { id: machineId } };
  world.resources.put({
    ...resource,
    body: { ...resource.body, properties: { ...properties, ...attached } },
  });
}
