import type { AzureState } from "../../core/azure-state.ts";
import { objectsAt, textAt } from "../../json.ts";
import type { Machine, MachineSource } from "../../machines/machine.ts";
import { interfaceIdsOf } from "./desired.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

/** The virtual machines outside scale sets as machines. */
export function virtualMachineSource(world: AzureState): MachineSource {
  const { table } = world.virtualMachines;
  return {
    records: function* () {
      for (const [, machine] of table.entries()) yield machine;
    },
    record: (machineId) => table.get(machineId),
    machine: (machineId) => {
      const machine = table.get(machineId);
      return machine && machineOf(world, machine);
    },
  };
}

function machineOf(world: AzureState, machine: VirtualMachine): Machine | undefined {
  const resource = world.resources.get(machine.id);
  if (!resource) return undefined;
  const { id, vmId, starts = 0, size, location, zone, power } = machine;
  const luns = objectsAt(resource.body, "properties", "storageProfile", "dataDisks").flatMap(({ lun }) =>
    typeof lun === "number" ? [lun] : [],
  );
  const customData = textAt(resource.body, "properties", "osProfile", "customData");
  return {
    id,
    vmId,
    starts,
    computerName: textAt(resource.body, "properties", "osProfile", "computerName") ?? resource.name,
    size,
    location,
    ...(zone !== undefined && { zone }),
    power,
    privateAddresses: interfaceIdsOf(resource.body).flatMap((nic) => addressesOf(world, nic)),
    ...(luns.length > 0 && { luns }),
    ...(customData !== undefined && { customData }),
  };
}

function addressesOf(world: AzureState, nic: string): readonly string[] {
  return objectsAt(world.resources.get(nic)?.body, "properties", "ipConfigurations").flatMap(
    (one) => textAt(one, "properties", "privateIPAddress") ?? [],
  );
}
