import { uuidFrom } from "@capstan/env";
import type { Rng } from "@capstan/env";
import { type Answer, reply } from "../../arm/answer.ts";
import { ArmError, type ErrorBody } from "../../arm/errors.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type Effect, latencyMs, nextRng, visibleMs, type AzureState } from "../../core/azure-state.ts";
import { faultError } from "../../faults/faults.ts";
import { type JsonObject, objectAt, textAt } from "../../json.ts";
import { acceptedAction, acceptedWrite, newOperation, RETRY_AFTER_SECONDS } from "../../operations/start.ts";
import { invalidReference } from "../scale-sets/desired.ts";
import { type Completed, NETWORK, type NetworkNoun } from "./network-noun.ts";

/** The effect that ends a write of a network resource. */
export const NETWORK_SETTLED = "network.settled";

/** The effect that removes a network resource. */
export const NETWORK_REMOVED = "network.removed";

// A PUT that is faster than this answers with the finished resource, for types with synchronous PUTs.
const SYNCHRONOUS_MS = 1000;

/** A network resource to write. */
export interface NetworkWrite {
  readonly noun: NetworkNoun;
  readonly call: Call;
  readonly world: AzureState;
  readonly id: string;
  readonly existing: Resource | undefined;
  readonly body: JsonObject;
}

/** The written resource, and how to answer once the body is known. */
export interface Written {
  readonly resource: Resource;
  readonly answer: (status: number, body: unknown) => Answer;
}

/** Stores a network resource and starts the operation that settles it. */
export function writeNetworkResource(write: NetworkWrite, latency: string): Written {
  const { noun, call, world, id, existing, body } = write;
  if (existing?.operation !== undefined) throw anotherOperation(existing.id);
  const completed = noun.complete({ world, id, body, existing });
  checkReferences(world, id, completed.uses);
  const rng = nextRng(world, id, call.operation);
  const endMs = world.nowMs + latencyMs(world, latency, rng);
  const draft = newResource(write, completed, rng);
  if (noun.mayBeSynchronous === true && endMs - world.nowMs < SYNCHRONOUS_MS) {
    const resource: Resource = { ...draft, state: "Succeeded" };
    world.resources.put(resource);
    return { resource, answer: (status, shown) => reply(status, shown, { etag: resource.etag }) };
  }
  const error = faultError(call, "operationFails");
  const operation = newOperation(call, world, {
    resourceId: id,
    location: draft.location,
    provider: NETWORK,
    error,
  });
  const resource: Resource = { ...draft, operation: operation.id };
  world.resources.put(resource);
  world.agenda.enter(endMs, NETWORK_SETTLED, {
    id,
    operation: operation.id,
    etag: `W/"${uuidFrom(rng)}"`,
    isFailed: error !== undefined,
  });
  world.operations.start(operation, endMs);
  return { resource, answer: (status, shown) => acceptedWrite({ call, world, operation }, status, shown) };
}

function newResource(write: NetworkWrite, { properties, uses }: Completed, rng: Rng): Resource {
  const { noun, world, id, existing, body } = write;
  const fresh = { createdMs: world.nowMs, visibleMs: visibleMs(world, rng) };
  const guid = textAt(existing?.body, "properties", "resourceGuid") ?? uuidFrom(rng);
  return {
    ...(existing ?? fresh),
    id,
    name: id.split("/").at(-1) ?? "",
    type: `${NETWORK}/${noun.type}`,
    location: existing?.location ?? textAt(body, "location") ?? "",
    body: { ...body, properties: { ...properties, resourceGuid: guid } },
    etag: `W/"${uuidFrom(rng)}"`,
    state: "Updating",
    uses,
  };
}

/** References name resources or children of resources. */
export function checkReferences(world: AzureState, id: string, uses: readonly string[]): void {
  for (const used of uses) {
    const parent = used.split("/").slice(0, 9).join("/");
    if (!world.resources.get(parent)) throw invalidReference(used, id);
  }
}

/** Starts the deletion of a network resource. */
export function deleteNetworkResource(call: Call, world: AzureState, resource: Resource): Answer {
  const error: ErrorBody | undefined = faultError(call, "operationFails");
  const { id, location } = resource;
  const operation = newOperation(call, world, { resourceId: id, location, provider: NETWORK, error });
  const endMs = world.nowMs + latencyMs(world, "network.delete", nextRng(world, id, call.operation));
  if (resource.operation !== undefined) world.operations.preempt(resource.operation, world.nowMs);
  world.resources.put({ ...resource, state: "Deleting", operation: operation.id });
  const effect = error ? NETWORK_SETTLED : NETWORK_REMOVED;
  world.agenda.enter(endMs, effect, { id, operation: operation.id, isFailed: error !== undefined });
  world.operations.start(operation, endMs);
  return acceptedAction(call, world, operation);
}

function isCurrent(world: AzureState, args: JsonObject): Resource | undefined {
  const resource = world.resources.get(textAt(args, "id") ?? "");
  return resource?.operation === textAt(args, "operation") ? resource : undefined;
}

/** Ends a PUT. */
export const settleNetworkResource: Effect = (world, args) => {
  const resource = isCurrent(world, args);
  if (!resource) return;
  const { operation: _, ...rest } = resource;
  const state = args["isFailed"] === true ? "Failed" : "Succeeded";
  world.resources.put({ ...rest, state, etag: textAt(args, "etag") ?? resource.etag });
};

/** Ends a DELETE. */
export const removeNetworkResource: Effect = (world, args) => {
  const resource = isCurrent(world, args);
  if (!resource) return;
  world.effects.get(`${resource.type}.removed`)?.(world, { id: resource.id });
  world.resources.delete(resource.id);
};

/** Network carries out one write of a resource at a time. */
function anotherOperation(id: string): ArmError {
  return new ArmError(
    429,
    {
      code: "RetryableErrorDueToAnotherOperation",
      message: `Operation on resource ${id} cannot be performed now because another operation on it or on its parent is in progress. Try again later.`,
      details: [],
    },
    { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
  );
}

/** The properties of a body. */
export function propertiesOf(body: JsonObject): JsonObject {
  return objectAt(body, "properties");
}
