import type { Resource } from "../../core/resources.ts";
import { objectAt } from "../../json.ts";
import { withoutSecrets } from "./models.ts";
import { latestModel, type ScaleSet } from "./scale-sets.ts";

/** A scale set as Compute shows it. */
export function setBody(resource: Resource, set: ScaleSet): unknown {
  const { body } = resource;
  const model = latestModel(set);
  return {
    name: resource.name,
    id: resource.id,
    type: resource.type,
    ...body,
    location: resource.location,
    etag: resource.etag,
    sku: { tier: "Standard", ...objectAt(body, "sku"), name: model.size, capacity: set.capacity },
    properties: {
      singlePlacementGroup: false,
      orchestrationMode: "Uniform",
      overprovision: true,
      ...objectAt(body, "properties"),
      virtualMachineProfile: withoutSecrets(model.profile),
      provisioningState: resource.state,
      uniqueId: set.uniqueId,
      timeCreated: new Date(resource.createdMs).toISOString(),
    },
  };
}
