import { reply } from "../../arm/answer.ts";
import { resourceNotFound } from "../../arm/errors.ts";
import { resourceId, type Target } from "../../arm/target.ts";
import type { ResourceType } from "../resource-type.ts";
import type { Image } from "./image.ts";

function imageBody(image: Image): unknown {
  return {
    id: image.definition,
    name: image.definition.split("/").at(-1),
    type: "Microsoft.Compute/images",
    location: image.regions?.[0],
    properties: {
      provisioningState: "Succeeded",
      hyperVGeneration: "V2",
      storageProfile: { osDisk: { osType: image.osType ?? "Linux", osState: "Generalized" } },
    },
  };
}

/** Whether an image lies in the group, or else the subscription, of a target. */
export function isWithin({ subscription, group }: Target, definition: string): boolean {
  const scope = `/subscriptions/${subscription}/${group === undefined ? "" : `resourceGroups/${group}/`}`;
  return definition.toLowerCase().startsWith(scope.toLowerCase());
}

/** Managed images: read only, from the settings. */
export const images: ResourceType = {
  provider: "Microsoft.Compute",
  type: "images",
  get: (call, world) => {
    const [image] = world.images.versionsOf(resourceId(call.target, ["images"]));
    if (!image)
      throw resourceNotFound(`Microsoft.Compute/images/${call.target.names[0]}`, call.target.group ?? "");
    return reply(200, imageBody(image));
  },
  list: (call, world) => {
    const all = [...world.images.definitions("managed")].filter((one) =>
      isWithin(call.target, one.definition),
    );
    return reply(200, { value: all.map(imageBody) });
  },
};
