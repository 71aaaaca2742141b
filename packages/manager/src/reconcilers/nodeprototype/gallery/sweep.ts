import type { JsonObject } from "@capstan/api";
import { type AzureScope, readAll, stateOf, textIn } from "./azure-reads.ts";
import { cycleOf, isOfOwner } from "./prototype-tags.ts";

const MACHINES = "Microsoft.Compute/virtualMachines";
/** What a renewal creates beside versions, and deletes before it ends. */
const TYPES = ["Microsoft.Compute/virtualMachineScaleSets", MACHINES, "Microsoft.Compute/snapshots"];
/** Azure deletes these with the helper VM, and refuses their deletion before. */
const OF_HELPER = ["Microsoft.Network/networkInterfaces", "Microsoft.Compute/disks"];

/**
 * Deletes what renewals of the owner have left behind and its record does not know: helper VMs with what belongs to them,
 * canaries, snapshots, and the versions given. Returns whether there is nothing left.
 */
export async function sweep(scope: AzureScope, versions: readonly JsonObject[] = []): Promise<boolean> {
  const { azure } = scope;
  const found = await Promise.all(TYPES.map((type) => leftovers(scope, type)));
  const [, helpers = []] = found;
  const parts = helpers.length > 0 ? [] : await Promise.all(OF_HELPER.map((type) => leftovers(scope, type)));
  const all = [...found.flat(), ...parts.flat(), ...versions];
  for (const body of all)
    if (stateOf(body) !== "Deleting")
      await azure.arm.delete(textIn(body, "id"), { location: azure.location });
  return all.length === 0;
}

/** The resources of a type that a renewal of the owner has made. The scale set of a pool names the pool, and no renewal. */
async function leftovers(scope: AzureScope, type: string): Promise<readonly JsonObject[]> {
  const all = await readAll(scope, `${scope.azure.groupID}/providers/${type}`);
  return all.filter((body) => isOfOwner(body, scope) && cycleOf(body) !== "");
}
