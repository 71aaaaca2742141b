import type { Core } from "../core/core.ts";
import { tablesOf, type AzureState } from "../core/azure-state.ts";
import { objectsAt, textAt } from "../json.ts";
import { parseAddress } from "../resources/network/addresses.ts";
import { countModel } from "../resources/scale-sets/apply-model.ts";
import { interfacesOf, subnetIdOf } from "../resources/scale-sets/desired.ts";
import { modelOf } from "../resources/scale-sets/scale-sets.ts";
import { countMachine } from "../resources/virtual-machines/work.ts";
import type { Saved } from "./store.ts";

/** Fills an empty cloud from a store. */
export function restore({ world, journal }: Core, { rows, position, journal: entries }: Saved): void {
  const tables = new Map(tablesOf(world).map((table) => [table.name, table]));
  for (const { table, key, row } of rows) tables.get(table)?.restore(key, row);
  world.agenda.restored();
  world.resources.restored();
  world.images.restored();
  world.scaleSets.restored();
  countInstances(world);
  claimAddresses(world);
  journal.restore({ count: position.journalCount, hash: position.journalHash, entries });
  world.nowMs = position.simMs;
}

/** Counters are not stored: they follow from the instances. */
function countInstances(world: AzureState): void {
  for (const [, machine] of world.virtualMachines.table.entries()) countMachine(world, machine, 1);
  for (const [, instance] of world.scaleSets.instances.entries()) {
    const set = world.scaleSets.get(instance.set);
    if (!set) continue;
    const model = modelOf(set, instance);
    countModel(world, set, { model, instances: 1 });
    for (const [index, configuration] of interfacesOf(model.profile).entries()) {
      const address = instance.addresses[index];
      if (address !== undefined) world.addresses.claim(subnetIdOf(configuration) ?? "", address);
    }
  }
}

function claimAddresses(world: AzureState): void {
  for (const [, resource] of world.resources.table.entries()) {
    for (const configuration of objectsAt(resource.body, "properties", "ipConfigurations")) {
      const address = parseAddress(textAt(configuration, "properties", "privateIPAddress") ?? "");
      const subnetId = textAt(configuration, "properties", "subnet", "id");
      if (address !== undefined && subnetId !== undefined) world.addresses.claim(subnetId, address);
    }
  }
}
