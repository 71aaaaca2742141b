import { objectsAt } from "../../json.ts";
import { networkChildType } from "../network/child-type.ts";
import { inUseBy } from "../network/in-use.ts";
import type { NetworkNoun } from "../network/network-noun.ts";
import { networkType } from "../network/network-type.ts";
import { propertiesOf } from "../network/network-write.ts";
import type { ResourceType } from "../resource-type.ts";

const noun: NetworkNoun = {
  type: "routeTables",
  children: ["routes"],
  complete: ({ body }) => ({
    properties: { ...propertiesOf(body), routes: objectsAt(body, "properties", "routes") },
    uses: [],
  }),
  inUse: (world, resource) => inUseBy(world, resource, "InUseRouteTableCannotBeDeleted"),
};

/** Route tables and their routes. */
export const routeTableTypes: readonly ResourceType[] = [networkType(noun), networkChildType(noun, "routes")];
