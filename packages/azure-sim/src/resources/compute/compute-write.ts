import { uuidFrom } from "@capstan/env";
import { type Answer, empty } from "../../arm/answer.ts";
import { concurrentRequest } from "../../arm/errors.ts";
import { type Effect, latencyMs, nextRng, visibleMs, type AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { faultError } from "../../faults/faults.ts";
import { isObject, type JsonObject, objectAt, textAt } from "../../json.ts";
import { acceptedAction, acceptedWrite, newOperation } from "../../operations/start.ts";

/** The namespace of disks, galleries and machines. */
export const COMPUTE = "Microsoft.Compute";

/** The effect that ends a write of a snapshot, a gallery or what is in it. */
export const COMPUTE_SETTLED = "compute.settled";

/** The effect that ends the deletion of one. */
export const COMPUTE_REMOVED = "compute.removed";

/** A resource to write. */
export interface ComputeWrite {
  readonly call: Call;
  readonly world: AzureState;
  readonly id: string;
  readonly existing: Resource | undefined;
  /** The type without its namespace. */
  readonly type: string;
  readonly location: string;
  readonly body: JsonObject;
  /** The name of its duration in the table of latencies. */
  readonly latency: string;
  /** Ids of the resources that cannot be deleted while this one exists. */
  readonly uses?: readonly string[];
}

/** Stores a resource and starts the operation that settles it. An update that fails leaves the resource as it was. */
export function startWrite(
  write: ComputeWrite,
  shown: (resource: Resource) => unknown,
): { readonly resource: Resource; readonly answer: Answer } {
  const { call, world, id, existing, type, location, body } = write;
  if (existing?.operation !== undefined) throw concurrentRequest();
  const error = faultError(call, "operationFails");
  const operation = newOperation(call, world, { resourceId: id, location, provider: COMPUTE, error });
  const rng = nextRng(world, id, call.operation);
  const endMs = world.nowMs + latencyMs(world, write.latency, rng);
  const fresh = { createdMs: world.nowMs, visibleMs: visibleMs(world, rng) };
  const resource: Resource = {
    ...(existing ?? fresh),
    id,
    name: id.split("/").at(-1) ?? "",
    type: `${COMPUTE}/${type}`,
    location,
    body: withoutReadOnly(body),
    etag: `"${uuidFrom(rng)}"`,
    state: existing ? "Updating" : "Creating",
    operation: operation.id,
    uses: write.uses ?? [],
  };
  world.resources.put(resource);
  world.agenda.enter(endMs, COMPUTE_SETTLED, {
    id,
    operation: operation.id,
    isFailed: error !== undefined,
    ...(existing && { before: existing.body }),
  });
  world.operations.start(operation, endMs);
  return {
    resource,
    answer: acceptedWrite({ call, world, operation }, existing ? 200 : 201, shown(resource)),
  };
}

/** Starts the deletion of a resource. */
function startRemoval(call: Call, world: AzureState, resource: Resource): Answer {
  const running = world.operations.get(resource.operation ?? "");
  if (resource.state === "Deleting" && running?.status === "InProgress")
    return acceptedAction(call, world, running);
  const error = faultError(call, "operationFails");
  const { id, location, type } = resource;
  const operation = newOperation(call, world, { resourceId: id, location, provider: COMPUTE, error });
  const name = `${type.slice(COMPUTE.length + 1)}.delete`;
  const endMs = world.nowMs + latencyMs(world, name, nextRng(world, id, call.operation));
  if (resource.operation !== undefined) world.operations.preempt(resource.operation, world.nowMs);
  world.resources.put({ ...resource, state: "Deleting", operation: operation.id });
  const effect = error ? COMPUTE_SETTLED : COMPUTE_REMOVED;
  // A deletion that fails leaves the resource as it was.
  world.agenda.enter(endMs, effect, { id, operation: operation.id, before: resource.body, isFailed: true });
  world.operations.start(operation, endMs);
  return acceptedAction(call, world, operation);
}

/** DELETE of a resource that no rule protects; succeeds when it does not exist. */
export function removeOrSucceed(call: Call, world: AzureState, resource: Resource | undefined): Answer {
  return resource ? startRemoval(call, world, resource) : empty(204);
}

function current(world: AzureState, args: JsonObject): Resource | undefined {
  const resource = world.resources.get(textAt(args, "id") ?? "");
  return resource?.operation === textAt(args, "operation") ? resource : undefined;
}

/** Ends a PUT. The type's own effect `TYPE.settled` may still make a new resource fail. */
export const settleComputeResource: Effect = (world, args) => {
  const resource = current(world, args);
  if (!resource) return;
  const { operation: _, ...rest } = resource;
  const isFailed = args["isFailed"] === true;
  const { before } = args;
  const body = isFailed && isObject(before) ? before : resource.body;
  const state = isFailed && before === undefined ? "Failed" : "Succeeded";
  world.resources.put({ ...rest, body, state });
  if (!isFailed) world.effects.get(`${resource.type}.settled`)?.(world, { id: resource.id });
};

/** Ends a DELETE. */
export const removeComputeResource: Effect = (world, args) => {
  const resource = current(world, args);
  if (!resource) return;
  world.effects.get(`${resource.type}.removed`)?.(world, { id: resource.id });
  world.resources.delete(resource.id);
};

/** The caller's fields, without the read-only ones that callers send back. */
function withoutReadOnly(body: JsonObject): JsonObject {
  const { id: _id, name: _name, type: _type, etag: _etag, ...rest } = body;
  const {
    provisioningState: _state,
    replicationStatus: _status,
    ...properties
  } = objectAt(body, "properties");
  return { ...rest, properties };
}

/** A resource as Compute shows it, with more properties than the caller has written. */
export function computeBody(resource: Resource, more: JsonObject = {}): JsonObject {
  return {
    id: resource.id,
    name: resource.name,
    type: resource.type,
    ...resource.body,
    location: resource.location,
    properties: {
      ...objectAt(resource.body, "properties"),
      ...more,
      provisioningState: resource.state,
    },
  };
}
