import { requiredLocation } from "../location.ts";
import { type Answer, empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { resourceId } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import type { Effect, AzureState } from "../../core/azure-state.ts";
import type { JsonObject } from "../../json.ts";
import { foundResource, visibleIn } from "../found.ts";
import type { ResourceType } from "../resource-type.ts";
import { networkBody } from "./network-body.ts";
import { NETWORK, type NetworkNoun } from "./network-noun.ts";
import { deleteNetworkResource, writeNetworkResource } from "./network-write.ts";

const PAGE = 100;

/** Builds a resource type from the specifics of a network type. */
export function networkType(noun: NetworkNoun): ResourceType {
  const { type } = noun;
  const shown = (resource: Resource): unknown => networkBody(noun, resource);
  const removed: Effect = (world, { id }) => {
    const resource = world.resources.get(String(id));
    if (resource) noun.removed?.(world, resource);
  };
  return {
    provider: NETWORK,
    type,
    effects: { [`${NETWORK}/${type}.removed`]: removed },
    get: (call, world) => {
      const resource = foundResource(call, world);
      return reply(200, shown(resource), { etag: resource.etag });
    },
    list: (call, world) => {
      const page = pageOf(visibleIn(world, call.target, `${NETWORK}/${type}`), call.query, PAGE);
      return listAnswer(page.items.map(shown), page.nextSkip, call);
    },
    put: (call, world) => put(noun, call, world),
    patch: (call, world) => patchTags(noun, call, world),
    delete: (call, world) => {
      const resource = world.resources.get(resourceId(call.target, [type]));
      if (!resource) return empty(204);
      checkPreconditions(call.headers, resource.etag);
      const problem = noun.inUse?.(world, resource);
      if (problem) throw problem;
      return deleteNetworkResource(call, world, resource);
    },
  };
}

function put(noun: NetworkNoun, call: Call, world: AzureState): Answer {
  const id = resourceId(call.target, [noun.type]);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const body = requireBody(call.body);
  const write = { noun, call, world, id: existing?.id ?? id, existing, body: checkedLocation(world, body) };
  const { resource, answer } = writeNetworkResource(write, noun.type);
  return answer(existing ? 200 : 201, networkBody(noun, resource));
}

function checkedLocation(world: AzureState, body: JsonObject): JsonObject {
  const location = requiredLocation(body);
  if (!world.settings.regions.includes(location)) {
    throw new ArmError(400, {
      code: "LocationNotAvailableForResourceType",
      message: `The provided location '${location}' is not available for resource type. List of available regions for the resource type is '${world.settings.regions.join(",")}'.`,
    });
  }
  return { ...body, location };
}

/** PATCH of a network resource changes its tags, synchronously. */
function patchTags(noun: NetworkNoun, call: Call, world: AzureState): Answer {
  const resource = foundResource(call, world);
  const { tags = {} } = requireBody(call.body);
  const changed: Resource = { ...resource, body: { ...resource.body, tags } };
  world.resources.put(changed);
  return reply(200, networkBody(noun, changed), { etag: changed.etag });
}
