import { ArmError } from "../../arm/errors.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { addressText, parseAddress } from "../network/addresses.ts";
import type { NetworkDraft, NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { checkReferences, propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";
import { invalidReference } from "../scale-sets/desired.ts";
import { subnetOf } from "../virtual-networks/subnet-lookup.ts";

const noun: NetworkNoun = {
  type: "networkInterfaces",
  children: ["ipConfigurations"],
  mayBeSynchronous: true,
  complete: (draft) => {
    const configurations = objectsAt(draft.body, "properties", "ipConfigurations");
    if (configurations.length === 0) {
      throw new ArmError(400, {
        code: "NetworkInterfaceMustHaveAtLeastOneIpConfiguration",
        message: `Network interface ${draft.id} must have at least one IP configuration.`,
        details: [],
      });
    }
    const security = textAt(draft.body, "properties", "networkSecurityGroup", "id");
    const uses = [
      ...configurations.flatMap(usedByConfiguration),
      ...(security === undefined ? [] : [security]),
    ];
    // Check before taking addresses: a refused request must not leave any behind.
    checkReferences(draft.world, draft.id, uses);
    const ipConfigurations = configurations.map((one, index) => withAddress(draft, one, index));
    const machine = objectAt(draft.existing?.body, "properties")["virtualMachine"];
    const properties = {
      enableIPForwarding: false,
      ...propertiesOf(draft.body),
      ipConfigurations,
      // Only the machine itself changes what the interface is attached to.
      virtualMachine: machine,
    };
    return { properties, uses };
  },
  removed: releaseAddresses,
  inUse: (_world, resource) => {
    const machine = textAt(resource.body, "properties", "virtualMachine", "id");
    return machine === undefined ? undefined : nicInUse(resource, machine);
  },
};

/** The refusal for a network interface that a machine uses. */
export function nicInUse(nic: Resource, machine: string): ArmError {
  return new ArmError(400, {
    code: "NicInUse",
    message: `Network Interface ${nic.id} is used by existing resource ${machine}. In order to delete the network interface, it must be dissociated from the resource. To learn more, see aka.ms/deletenic.`,
    details: [],
  });
}

function releaseAddresses(world: AzureState, resource: Resource): void {
  for (const configuration of objectsAt(resource.body, "properties", "ipConfigurations")) {
    const address = parseAddress(textAt(configuration, "properties", "privateIPAddress") ?? "");
    const subnetId = textAt(configuration, "properties", "subnet", "id");
    if (address !== undefined && subnetId !== undefined) world.addresses.release(subnetId, address);
  }
}

function withAddress(
  { world, id, existing }: NetworkDraft,
  configuration: JsonObject,
  index: number,
): JsonObject {
  const subnetId = textAt(configuration, "properties", "subnet", "id") ?? "";
  const subnet = subnetOf(world, subnetId);
  if (!subnet) throw invalidReference(subnetId, id);
  const before = objectsAt(existing?.body, "properties", "ipConfigurations")[index];
  const address =
    textAt(configuration, "properties", "privateIPAddress") ??
    textAt(before, "properties", "privateIPAddress") ??
    addressText(world.addresses.take(subnetId, subnet.range));
  world.addresses.claim(subnetId, parseAddress(address) ?? 0);
  return {
    ...configuration,
    properties: {
      privateIPAllocationMethod: "Dynamic",
      primary: index === 0,
      ...objectAt(configuration, "properties"),
      privateIPAddress: address,
    },
  };
}

function usedByConfiguration(configuration: JsonObject): string[] {
  const direct = ["subnet", "publicIPAddress"].map((field) =>
    textAt(configuration, "properties", field, "id"),
  );
  const pools = objectsAt(configuration, "properties", "loadBalancerBackendAddressPools").map((pool) =>
    textAt(pool, "id"),
  );
  return [...direct, ...pools].filter((id) => id !== undefined);
}

/** Network interfaces outside scale sets. */
export const networkInterfaces: ResourceType = networkType(noun);
