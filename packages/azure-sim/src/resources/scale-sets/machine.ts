import type { AzureState } from "../../core/azure-state.ts";
import { textAt } from "../../json.ts";
import type { Machine, MachineSource } from "../../machines/machine.ts";
import { addressText } from "../network/addresses.ts";
import { computerName, instanceId } from "./instance-body.ts";
import { type Instance, modelOf, type ScaleSets } from "./scale-sets.ts";

/** The instances of scale sets as machines. */
export function instanceMachines({ scaleSets }: AzureState): MachineSource {
  const { instances } = scaleSets;
  return {
    records: function* () {
      for (const [, instance] of instances.entries()) yield instance;
    },
    record: (machineId) => instances.get(machineId),
    machine: (machineId) => {
      const instance = instances.get(machineId);
      return instance && machineOf(scaleSets, instance);
    },
  };
}

function machineOf(scaleSets: ScaleSets, instance: Instance): Machine | undefined {
  const set = scaleSets.get(instance.set);
  if (!set) return undefined;
  const model = modelOf(set, instance);
  const customData = textAt(model.profile, "osProfile", "customData");
  return {
    id: instanceId(set, instance),
    vmId: instance.vmId,
    starts: instance.starts ?? 0,
    computerName: computerName(model, instance),
    size: model.size,
    location: set.location,
    ...(instance.zone !== undefined && { zone: instance.zone }),
    power: instance.power,
    privateAddresses: instance.addresses.map(addressText),
    ...(customData !== undefined && { customData }),
  };
}
