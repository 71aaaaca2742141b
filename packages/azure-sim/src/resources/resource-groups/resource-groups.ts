import { requiredLocation } from "../location.ts";
import { type Answer, empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, groupNotFound } from "../../arm/errors.ts";
import { filterOf, pageSizeOf } from "../../arm/filter.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type Effect, latencyMs, nextRng, type AzureState } from "../../core/azure-state.ts";
import { faultError } from "../../faults/faults.ts";
import { mergePatch, textAt, type JsonObject } from "../../json.ts";
import { newOperation, RETRY_AFTER_SECONDS } from "../../operations/start.ts";
import { visibleIn } from "../found.ts";
import type { Verb } from "../resource-type.ts";
import { SET_REMOVED } from "../scale-sets/removal.ts";

const GROUP_TYPE = "Microsoft.Resources/resourceGroups";
/** The effect that removes a group. */
export const GROUP_REMOVED = "resourceGroup.removed";
export const GROUP_KEPT = "resourceGroup.kept";

const PAGE = 1000;

/** The id of a group. */
function groupId(subscription: string | undefined, group: string): string {
  return `/subscriptions/${subscription}/resourceGroups/${group}`;
}

/** The group of a call; ARM's 404 when it does not exist. */
export function foundGroup(call: Call, world: AzureState): Resource {
  const { subscription, group = "" } = call.target;
  const resource = world.resources.get(groupId(subscription, group));
  if (!resource) throw groupNotFound(group);
  return resource;
}

function groupBody({ id, name, location, body, state }: Resource): JsonObject {
  return {
    id,
    name,
    type: GROUP_TYPE,
    location,
    ...(body["tags"] !== undefined && { tags: body["tags"] }),
    ...(body["managedBy"] !== undefined && { managedBy: body["managedBy"] }),
    properties: { provisioningState: state },
  };
}

/** PUT: creates or updates a group, synchronously. */
export const putGroup: Verb = (call, world) => {
  const { subscription, group = "" } = call.target;
  const body = requireBody(call.body);
  checkName(group);
  const existing = world.resources.get(groupId(subscription, group));
  const location = locationOf(world, body, existing);
  if (existing?.state === "Deleting") throw deprovisioning(existing);
  const resource: Resource = existing
    ? { ...existing, body }
    : {
        id: groupId(subscription, group),
        name: group,
        type: GROUP_TYPE,
        location,
        body,
        etag: "",
        state: "Succeeded",
        createdMs: world.nowMs,
        visibleMs: world.nowMs,
        uses: [],
      };
  world.resources.put(resource);
  return reply(existing ? 200 : 201, groupBody(resource));
};

// Letters of any alphabet, digits, and these characters; the last one may not be a dot.
const NAME = /^[-\w.()\p{L}\p{N}]{0,89}[-\w()\p{L}\p{N}]$/u;

function checkName(group: string): void {
  if (NAME.test(group)) return;
  throw new ArmError(400, {
    code: "InvalidResourceGroup",
    message: `The provided resource group name '${group}' is invalid. It has 1 to 90 letters, digits, '-', '_', '.', '(' or ')', and does not end with a period.`,
  });
}

function locationOf(world: AzureState, body: JsonObject, existing: Resource | undefined): string {
  const location = requiredLocation(body);
  if (!world.settings.regions.includes(location)) {
    throw new ArmError(400, {
      code: "LocationNotAvailableForResourceGroup",
      message: `The provided location '${location}' is not available for resource group. List of available regions is '${world.settings.regions.join(",")}'.`,
    });
  }
  if (existing && existing.location !== location) {
    throw new ArmError(409, {
      code: "InvalidResourceGroupLocation",
      message: `Invalid resource group location '${location}'. The Resource group already exists in location '${existing.location}'.`,
    });
  }
  return location;
}

function deprovisioning({ name }: Resource): ArmError {
  return new ArmError(409, {
    code: "ResourceGroupBeingDeleted",
    message: `The resource group '${name}' is in deprovisioning state and cannot perform this operation.`,
  });
}

/** Refuses writes into a group that is being deleted. */
export function checkGroupTakesWrites(group: Resource): void {
  if (group.state === "Deleting") throw deprovisioning(group);
}

/** GET of a group. */
export const getGroup: Verb = (call, world) => reply(200, groupBody(foundGroup(call, world)));

/** HEAD: whether the group exists. */
export const headGroup: Verb = (call, world) => {
  const { subscription, group = "" } = call.target;
  return empty(world.resources.get(groupId(subscription, group)) ? 204 : 404);
};

/** PATCH: tags. */
export const patchGroup: Verb = (call, world) => {
  const resource = foundGroup(call, world);
  checkGroupTakesWrites(resource);
  const body = { ...resource.body, ...(mergePatch({}, requireBody(call.body)) as JsonObject) };
  world.resources.put({ ...resource, body });
  return reply(200, groupBody({ ...resource, body }));
};

/** The groups of a subscription. */
export const listGroups: Verb = (call, world) => {
  const groups = those(visibleIn(world, call.target, GROUP_TYPE), filterOf(call.query));
  const page = pageOf(groups, call.query, pageSizeOf(call.query, PAGE));
  return listAnswer(page.items.map(groupBody), page.nextSkip, call);
};

/** The resources in a group, or in a whole subscription. */
export const listResources: Verb = (call, world) => {
  if (call.target.group !== undefined) foundGroup(call, world);
  const isListed = filterOf(call.query);
  const resources = those(
    visibleIn(world, call.target, ""),
    (one) => one.type !== GROUP_TYPE && isListed(one),
  );
  const page = pageOf(resources, call.query, pageSizeOf(call.query, PAGE));
  const bodies = page.items.map(({ id, name, type, location, body }) => ({
    id,
    name,
    type,
    location,
    ...(body["tags"] !== undefined && { tags: body["tags"] }),
    ...(body["sku"] !== undefined && { sku: body["sku"] }),
  }));
  return listAnswer(bodies, page.nextSkip, call);
};

function* those(
  resources: Iterable<Resource>,
  isListed: (resource: Resource) => boolean,
): Generator<Resource> {
  for (const resource of resources) if (isListed(resource)) yield resource;
}

/** DELETE: removes the group with everything in it, within minutes. Only a Location header reports progress. */
export const deleteGroup: Verb = (call, world): Answer => {
  const resource = foundGroup(call, world);
  const operation = newOperation(call, world, {
    resourceId: resource.id,
    location: resource.location,
    provider: "Microsoft.Resources",
    error: faultError(call, "operationFails"),
  });
  const isEmpty = world.resources.in(resource.id).next().done === true;
  const durationMs = latencyMs(world, "resourceGroup.delete", nextRng(world, resource.id, call.operation));
  const endMs = world.nowMs + (isEmpty ? Math.round(durationMs / 4) : durationMs);
  world.resources.put({ ...resource, state: "Deleting", operation: operation.id });
  const isDone = faultError(call, "operationFails") === undefined;
  world.agenda.enter(endMs, isDone ? GROUP_REMOVED : GROUP_KEPT, { id: resource.id });
  world.operations.start(operation, endMs);
  return empty(202, {
    location: world.operations.urls.urlOf(operation, call.origin, "result"),
    "retry-after": String(RETRY_AFTER_SECONDS),
  });
};

/** Ends a failed deletion: the group accepts writes again, and can be deleted later. */
export const keepGroup: Effect = (world, args) =>
  world.resources.update(textAt(args, "id") ?? "", { state: "Succeeded" });

/** Removes a group: machines first, then their networks, then the group. */
export const removeGroup: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const inside = [...world.resources.in(id)];
  for (const { id: inner } of inside) {
    if (world.scaleSets.get(inner)) world.effects.get(SET_REMOVED)?.(world, { id: inner });
  }
  for (const { id: inner, type } of inside) {
    world.effects.get(`${type}.removed`)?.(world, { id: inner });
    world.resources.delete(inner);
  }
  world.resources.delete(id);
};
