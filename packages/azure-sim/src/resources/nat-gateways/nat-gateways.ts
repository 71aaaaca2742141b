import { ArmError } from "../../arm/errors.ts";
import { type JsonObject, objectsAt, textAt } from "../../json.ts";
import { inUseBy } from "../network/in-use.ts";
import type { NetworkDraft, NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";

const noun: NetworkNoun = {
  type: "natGateways",
  children: [],
  complete: (draft) => {
    const { body } = draft;
    const addresses = objectsAt(body, "properties", "publicIpAddresses").flatMap(
      (one) => textAt(one, "id") ?? [],
    );
    for (const address of addresses) checkAddress(draft, address);
    return { properties: { idleTimeoutInMinutes: 4, ...propertiesOf(body) }, uses: addresses };
  },
  inUse: (world, resource) => inUseBy(world, resource, "InUseNatGatewayCannotBeDeleted"),
};

/** The only sku of NAT gateways takes public addresses of the Standard sku alone. */
function checkAddress({ world, id }: NetworkDraft, address: string): void {
  const body: JsonObject | undefined = world.resources.get(address)?.body;
  if (!body || textAt(body, "sku", "name") === "Standard") return;
  throw new ArmError(400, {
    code: "NatGatewayPublicIpSkuNotSupported",
    message: `NAT gateway ${id} cannot use public IP address ${address}: it must have the Standard sku.`,
    details: [],
  });
}

/** NAT gateways. */
export const natGateways: ResourceType = networkType(noun);
