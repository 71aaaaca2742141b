import { reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, invalidParameter } from "../../arm/errors.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, objectAt, textAt } from "../../json.ts";
import type { ResourceType } from "../resource-type.ts";

const OPERATIONS = ["Merge", "Replace", "Delete"];
// A resource has at most fifty tags.
const MAX_TAGS = 50;

function tagged(call: Call, world: AzureState): Resource {
  const resource = world.resources.get(call.target.scopePath);
  if (resource) return resource;
  throw new ArmError(404, {
    code: "ResourceNotFound",
    message: `The Resource '${call.target.scopePath}' was not found. For more details please go to https://aka.ms/ARMResourceNotFoundFix`,
  });
}

function tagsBody(resource: Resource): unknown {
  return {
    id: `${resource.id}/providers/Microsoft.Resources/tags/default`,
    name: "default",
    type: "Microsoft.Resources/tags",
    properties: { tags: objectAt(resource.body, "tags") },
  };
}

function write(world: AzureState, resource: Resource, tags: JsonObject): Resource {
  if (Object.keys(tags).length > MAX_TAGS) {
    throw invalidParameter(
      "tags",
      `A resource has at most ${MAX_TAGS} tags; these are ${Object.keys(tags).length}.`,
    );
  }
  const changed: Resource = { ...resource, body: { ...resource.body, tags } };
  world.resources.put(changed);
  return changed;
}

function combined(operation: string, before: JsonObject, given: JsonObject): JsonObject {
  if (operation === "Merge") return { ...before, ...given };
  if (operation === "Replace") return given;
  return Object.fromEntries(Object.entries(before).filter(([name]) => !(name in given)));
}

/** The tags of any resource or group, without its other fields. */
export const tags: ResourceType = {
  provider: "Microsoft.Resources",
  type: "tags",
  isInSubscription: true,
  get: (call, world) => reply(200, tagsBody(tagged(call, world))),
  put: (call, world) => {
    const given = objectAt(requireBody(call.body), "properties", "tags");
    return reply(200, tagsBody(write(world, tagged(call, world), given)));
  },
  patch: (call, world) => {
    const body = requireBody(call.body);
    const operation = textAt(body, "operation") ?? "";
    if (!OPERATIONS.includes(operation)) {
      throw invalidParameter(
        "operation",
        `The operation '${operation}' is not one of ${OPERATIONS.join(", ")}.`,
      );
    }
    const resource = tagged(call, world);
    const wanted = combined(operation, objectAt(resource.body, "tags"), objectAt(body, "properties", "tags"));
    return reply(200, tagsBody(write(world, resource, wanted)));
  },
  delete: (call, world) => {
    write(world, tagged(call, world), {});
    return reply(200, undefined);
  },
};
