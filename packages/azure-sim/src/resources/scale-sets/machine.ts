import type { AzureState } from "../../core/azure-state.ts";
import { textAt } from "../../json.ts";
import { addressText } from "../network/addresses.ts";
import { computerName, instanceId } from "./instance-body.ts";
import { modelOf, type PowerState } from "./scale-sets.ts";

/** A virtual machine from the inside: what its guest is told when it boots. */
export interface Machine {
  readonly id: string;
  readonly vmId: string;
  readonly computerName: string;
  readonly size: string;
  readonly location: string;
  readonly zone?: string;
  readonly power: PowerState;
  readonly privateAddresses: readonly string[];
  /** What the guest runs when it is provisioned, as it was written: base64. */
  readonly customData?: string;
}

/** One machine of a scale set; undefined when there is no such instance. */
export function machineOf(world: AzureState, scaleSetId: string, name: string): Machine | undefined {
  const set = world.scaleSets.get(scaleSetId);
  const instance = world.scaleSets.members(scaleSetId).get(Number(name));
  if (!set || !instance) return undefined;
  const model = modelOf(set, instance);
  const customData = textAt(model.profile, "osProfile", "customData");
  return {
    id: instanceId(set, instance),
    vmId: instance.vmId,
    computerName: computerName(model, instance),
    size: model.size,
    location: set.location,
    ...(instance.zone !== undefined && { zone: instance.zone }),
    power: instance.power,
    privateAddresses: instance.addresses.map(addressText),
    ...(customData !== undefined && { customData }),
  };
}
