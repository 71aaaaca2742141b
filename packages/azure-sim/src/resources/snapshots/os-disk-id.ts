import type { AzureState } from "../../core/azure-state.ts";
import { keyOf } from "../../arm/target.ts";
import type { Instance } from "../scale-sets/scale-sets.ts";

/** The name of the OS disk of an instance of a scale set. */
export function osDiskName(setName: string, instance: Pick<Instance, "id" | "vmId">): string {
  return `${setName}_${instance.id}_OsDisk_1_${instance.vmId.replaceAll("-", "")}`;
}

const DISK =
  /^(\/subscriptions\/[^/]+\/resourcegroups\/[^/]+)\/providers\/microsoft\.compute\/disks\/(.+)_(\d+)_osdisk_1_([0-9a-f]{32})$/;

/** The instance that has this disk; undefined when the disk does not exist. */
export function instanceOfDisk(world: AzureState, diskId: string): Instance | undefined {
  const [, group, setName, id, vmId] = DISK.exec(keyOf(diskId)) ?? [];
  if (group === undefined) return undefined;
  const set = `${group}/providers/microsoft.compute/virtualmachinescalesets/${setName}`;
  const instance = world.scaleSets.members(set).get(Number(id));
  return instance?.vmId.replaceAll("-", "") === vmId ? instance : undefined;
}
