import { reply } from "../../arm/answer.ts";
import { entityNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { type JsonObject, objectsAt, textAt } from "../../json.ts";
import { addressText } from "../network/addresses.ts";
import type { Verb } from "../resource-type.ts";
import { foundInstance, foundSet } from "./actions.ts";
import { interfacesOf } from "./desired.ts";
import { instanceId } from "./instance-body.ts";
import { type Instance, modelOf, type ScaleSet } from "./scale-sets.ts";

const INTERFACES_PER_PAGE = 100;

/** The network interfaces of an instance as Network shows them. */
function interfaceBodies(set: ScaleSet, instance: Instance): JsonObject[] {
  const owner = instanceId(set, instance);
  return interfacesOf(modelOf(set, instance).profile).map((configuration, index) => {
    const name = textAt(configuration, "name") ?? "";
    const id = `${owner}/networkInterfaces/${name}`;
    const properties = configuration["properties"];
    return {
      name,
      id,
      etag: `W/"${instance.vmId}"`,
      properties: {
        provisioningState: "Succeeded",
        primary: index === 0,
        enableAcceleratedNetworking: false,
        enableIPForwarding: false,
        ...(properties as JsonObject),
        macAddress: macAddress(instance.addresses[index] ?? 0),
        virtualMachine: { id: owner },
        ipConfigurations: objectsAt(configuration, "properties", "ipConfigurations").map((one, order) => ({
          name: textAt(one, "name"),
          id: `${id}/ipConfigurations/${textAt(one, "name")}`,
          properties: {
            privateIPAllocationMethod: "Dynamic",
            privateIPAddressVersion: "IPv4",
            primary: order === 0,
            ...(one["properties"] as JsonObject),
            provisioningState: "Succeeded",
            privateIPAddress: addressText(instance.addresses[index] ?? 0),
          },
        })),
      },
    };
  });
}

// 00-0D-3A is one of Microsoft's prefixes; the private address makes the rest unique in its network.
function macAddress(address: number): string {
  const digits = (address % 2 ** 24).toString(16).toUpperCase().padStart(6, "0");
  return `00-0D-3A-${digits.slice(0, 2)}-${digits.slice(2, 4)}-${digits.slice(4, 6)}`;
}

/** The interfaces of one instance. */
export const listInstanceInterfaces: Verb = (call, world) => {
  const { set, instance } = foundInstance(call, world);
  return reply(200, { value: interfaceBodies(set, instance) });
};

/** One interface of one instance. */
export const getInstanceInterface: Verb = (call, world) => {
  const { set, instance } = foundInstance(call, world);
  const name = call.target.names[2]?.toLowerCase();
  const body = interfaceBodies(set, instance).find((one) => textAt(one, "name")?.toLowerCase() === name);
  if (!body) throw entityNotFound();
  return reply(200, body);
};

/** The interfaces of all instances of a set. */
export const listSetInterfaces: Verb = (call, world) => {
  const { set } = foundSet(call, world);
  const page = pageOf(world.scaleSets.members(set.id).values(), call.query, INTERFACES_PER_PAGE);
  const bodies = page.items.flatMap((instance) => interfaceBodies(set, instance));
  return listAnswer(bodies, page.nextSkip, call);
};
