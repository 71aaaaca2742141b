import { reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { resourceId } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { COMPUTE, computeBody, removeOrSucceed, startWrite } from "../compute/compute-write.ts";
import { visibleIn } from "../found.ts";
import { requiredLocation } from "../location.ts";
import type { ResourceType } from "../resource-type.ts";
import { checkImageQuota } from "./image-quotas.ts";
import { missing } from "./missing.ts";

const GALLERIES = "galleries";
const PAGE = 100;
// Letters, digits, dots and underscores: unlike most resources, galleries have no dashes in their names.
const NAME = /^[a-z0-9]([a-z0-9._]{0,78}[a-z0-9])?$/i;

/** A gallery of the settings; undefined when no image of the settings lies in it. */
function fromSettings(call: Call, world: AzureState, id: string): unknown {
  const inside = [...world.images.definitions("gallery")].find((one) =>
    one.definition.toLowerCase().startsWith(`${id.toLowerCase()}/`),
  );
  return (
    inside && {
      id,
      name: call.target.names[0],
      type: `${COMPUTE}/${GALLERIES}`,
      location: inside.regions?.[0] ?? world.settings.regions[0],
      properties: { provisioningState: "Succeeded" },
    }
  );
}

/** Whether a gallery exists: as a resource, or through an image of the settings. */
export function galleryLocation(call: Call, world: AzureState): string | undefined {
  const id = resourceId(call.target, [GALLERIES]);
  const stored = world.resources.get(id);
  if (stored) return stored.location;
  const shown = fromSettings(call, world, id) as { readonly location: string } | undefined;
  return shown?.location;
}

function put(call: Call, world: AzureState) {
  const id = resourceId(call.target, [GALLERIES]);
  const existing = world.resources.get(id);
  const body = requireBody(call.body);
  const location = existing?.location ?? requiredLocation(body);
  const [name = ""] = call.target.names;
  if (!NAME.test(name))
    throw invalidParameter(
      "galleryName",
      `The value '${name}' of parameter 'galleryName' is invalid: it has 1 to 80 letters, digits, dots and underscores.`,
    );
  if (!existing) checkImageQuota(world, { ...call.target, location, type: GALLERIES });
  const write = { call, world, id: existing?.id ?? id, existing, type: GALLERIES, location, body };
  return startWrite({ ...write, latency: GALLERIES }, computeBody).answer;
}

function checkEmpty(world: AzureState, { id, name }: Resource): void {
  const inside = [...world.resources.in(id.split("/").slice(0, 5).join("/"))].find((one) =>
    one.id.toLowerCase().startsWith(`${id.toLowerCase()}/`),
  );
  if (!inside) return;
  throw new ArmError(409, {
    code: "CannotDeleteResource",
    message: `Can not delete resource '${name}' before nested resources are deleted: ${inside.id}.`,
  });
}

/** DELETE of a gallery or a definition: only an empty one. */
export function deleteEmpty(call: Call, world: AzureState, types: readonly string[]) {
  const resource = world.resources.get(resourceId(call.target, types));
  if (resource) checkEmpty(world, resource);
  return removeOrSucceed(call, world, resource);
}

/** Compute galleries: resources, and those that the images of the settings lie in. */
export const galleries: ResourceType = {
  provider: COMPUTE,
  type: GALLERIES,
  get: (call, world) => {
    const id = resourceId(call.target, [GALLERIES]);
    const stored = world.resources.get(id);
    const shown = stored ? computeBody(stored) : fromSettings(call, world, id);
    if (shown === undefined) throw missing(call);
    return reply(200, shown);
  },
  list: (call, world) => {
    const page = pageOf(visibleIn(world, call.target, `${COMPUTE}/${GALLERIES}`), call.query, PAGE);
    return listAnswer(
      page.items.map((one) => computeBody(one)),
      page.nextSkip,
      call,
    );
  },
  put,
  delete: (call, world) => deleteEmpty(call, world, [GALLERIES]),
};
