import { createRng } from "@capstan/env";
import { ArmError } from "../../arm/errors.ts";
import { textAt } from "../../json.ts";
import type { NetworkDraft, NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";

const noun: NetworkNoun = {
  type: "publicIPAddresses",
  children: [],
  complete: (draft) => {
    const { body } = draft;
    const isStandard = textAt(body, "sku", "name") === "Standard";
    const method =
      textAt(body, "properties", "publicIPAllocationMethod") ?? (isStandard ? "Static" : "Dynamic");
    if (isStandard && method !== "Static") {
      throw new ArmError(400, {
        code: "PublicIPAddressStandardSkuMustBeStatic",
        message: `Standard sku publicIp ${draft.id} must have AllocationMethod set to Static.`,
        details: [],
      });
    }
    const properties = {
      publicIPAddressVersion: "IPv4",
      idleTimeoutInMinutes: 4,
      ...propertiesOf(body),
      publicIPAllocationMethod: method,
      // A dynamic address is assigned with the machine that uses it.
      ...(method === "Static" && { ipAddress: addressOf(draft) }),
      ...dnsSettings(draft),
    };
    return { properties, uses: [] };
  },
  inUse: (world, resource) => {
    const [user] = world.resources.usersOf(resource.id);
    if (user === undefined) return undefined;
    return new ArmError(400, {
      code: "PublicIPAddressCannotBeDeleted",
      message: `Public IP address ${resource.id} can not be deleted since it is still allocated to resource ${world.resources.get(user)?.id ?? user}. In order to delete the public IP, disassociate/detach the Public IP address from the resource.  To learn how to do this, see aka.ms/deletepublicip.`,
      details: [],
    });
  },
};

/** An address from one of Azure's ranges; it stays the same while the resource exists. */
function addressOf({ world, id, existing }: NetworkDraft): string {
  const kept = textAt(existing?.body, "properties", "ipAddress");
  if (kept !== undefined) return kept;
  const rng = createRng(world.seed, `${id.toLowerCase()}/address/${world.nowMs}`);
  return `20.${rng.below(256)}.${rng.below(256)}.${1 + rng.below(254)}`;
}

function dnsSettings({ body }: NetworkDraft): object {
  const label = textAt(body, "properties", "dnsSettings", "domainNameLabel");
  if (label === undefined) return {};
  const fqdn = `${label}.${textAt(body, "location")}.cloudapp.azure.com`;
  return { dnsSettings: { domainNameLabel: label, fqdn } };
}

/** Public IP addresses. */
export const publicIpAddresses: ResourceType = networkType(noun);
