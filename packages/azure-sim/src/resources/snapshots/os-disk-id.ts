import type { AzureState } from "../../core/azure-state.ts";
import { keyOf } from "../../arm/target.ts";
import { textAt } from "../../json.ts";
import type { MachineRecord } from "../../machines/machine.ts";
import { disksOf } from "../virtual-machines/attachments.ts";
import type { Instance } from "../scale-sets/scale-sets.ts";

/** The name of the OS disk of an instance of a scale set. */
export function osDiskName(setName: string, instance: Pick<Instance, "id" | "vmId">): string {
  return `${setName}_${instance.id}_OsDisk_1_${instance.vmId.replaceAll("-", "")}`;
}

const DISK =
  /^(\/subscriptions\/[^/]+\/resourcegroups\/[^/]+)\/providers\/microsoft\.compute\/disks\/(.+)_(\d+)_osdisk_1_([0-9a-f]{32})$/;

/** The machine that boots from this disk; undefined when the disk does not exist, or no machine boots from it. */
export function machineOfDisk(world: AzureState, diskId: string): MachineRecord | undefined {
  const disk = world.resources.get(diskId);
  if (!disk) return instanceOfDisk(world, diskId);
  const machine = world.virtualMachines.get(textAt(disk.body, "managedBy") ?? "");
  const resource = machine && world.resources.get(machine.id);
  if (!resource) return undefined;
  const osDisk = disksOf(machine.id, resource.body).find(({ isOsDisk }) => isOsDisk);
  return osDisk && keyOf(osDisk.id) === keyOf(diskId) ? machine : undefined;
}

/** The instance of a scale set that has this disk: its disks are not resources here. */
function instanceOfDisk(world: AzureState, diskId: string): Instance | undefined {
  const [, group, setName, id, vmId] = DISK.exec(keyOf(diskId)) ?? [];
  if (group === undefined) return undefined;
  const set = `${group}/providers/microsoft.compute/virtualmachinescalesets/${setName}`;
  const instance = world.scaleSets.members(set).get(Number(id));
  return instance?.vmId.replaceAll("-", "") === vmId ? instance : undefined;
}
