import { uuidFrom } from "@capstan/env";
import type { Answer } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { beingDeleted, invalidParameter, type ErrorBody } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { resourceId } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { latencyMs, nextRng, visibleMs, type AzureState } from "../../core/azure-state.ts";
import { type JsonObject, mergePatch, objectAt, textAt, valueAt } from "../../json.ts";
import type { Operation } from "../../operations/operation.ts";
import { acceptedWrite, newOperation } from "../../operations/start.ts";
import { foundResource } from "../found.ts";
import { checkLogin, type Desired, desiredOf } from "./desired.ts";
import { checkAddresses, extraInstances } from "./growth.ts";
import { adoptModel, withKeptSecrets } from "./models.ts";
import { resize } from "./resize.ts";
import { type ScaleSet } from "./scale-sets.ts";
import { setBody } from "./set-body.ts";

/** The effect that ends a write of a set. */
export const SET_SETTLED = "scaleSet.settled";

/** The type of scale sets. */
export const SCALE_SETS = "virtualMachineScaleSets";

/** The namespace of scale sets. */
export const COMPUTE = "Microsoft.Compute";

/** PUT: creates the set, or updates it to the body. */
export function putScaleSet(call: Call, world: AzureState): Answer {
  const id = resourceId(call.target, [SCALE_SETS]);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const given = requireBody(call.body);
  const body = existing ? completed(given, current(world, existing)) : given;
  return write({ call, world, id: existing?.id ?? id, existing, body });
}

/** PATCH: merges the body into the stored one. */
export function patchScaleSet(call: Call, world: AzureState): Answer {
  const existing = foundResource(call, world);
  checkPreconditions(call.headers, existing.etag);
  const body = mergePatch(current(world, existing), requireBody(call.body)) as JsonObject;
  return write({ call, world, id: existing.id, existing, body });
}

/** The stored body with the current capacity: deleted instances have lowered it. */
function current(world: AzureState, { id, body }: Resource): JsonObject {
  const capacity = world.scaleSets.get(id)?.capacity;
  return { ...body, sku: { ...objectAt(body, "sku"), capacity } };
}

/** A PUT keeps the fields of an existing set that its body leaves out. */
function completed(body: JsonObject, before: JsonObject): JsonObject {
  const profile = valueAt(body, "properties", "virtualMachineProfile");
  const oldProfile = objectAt(before, "properties", "virtualMachineProfile");
  return {
    ...before,
    ...body,
    sku: { ...objectAt(before, "sku"), ...objectAt(body, "sku") },
    properties: {
      ...objectAt(before, "properties"),
      ...objectAt(body, "properties"),
      // Clients that do not change the network leave its profile out: it cannot be changed freely.
      virtualMachineProfile:
        profile === undefined
          ? oldProfile
          : { networkProfile: oldProfile["networkProfile"], ...objectAt({ profile }, "profile") },
    },
  };
}

interface Write {
  readonly call: Call;
  readonly world: AzureState;
  readonly id: string;
  readonly existing: Resource | undefined;
  readonly body: JsonObject;
}

function write({ call, world, id, existing, body }: Write): Answer {
  if (existing?.state === "Deleting") throw beingDeleted(existing.id);
  const desired = checked(world, { id, existing, body });
  // Check only the fields of the request: a set that was stored before this check existed can still be resized.
  if (valueAt(call.body, "properties", "virtualMachineProfile") !== undefined)
    checkLogin(desired.model.profile);
  const set = world.scaleSets.get(id) ?? newSet(world, id, { call, desired });
  charge(call, world, { set, desired, isNew: !existing });
  adoptModel(set, desired.model, world.scaleSets.members(id).values());
  const operation = newOperation(call, world, {
    resourceId: id,
    location: desired.location,
    provider: COMPUTE,
  });
  if (existing?.operation !== undefined) world.operations.preempt(existing.operation, world.nowMs);
  const stored = storedBody(body, desired);
  const resource = store(world, { id, existing, body: stored, desired, operation });
  const plan = resize({ call, world, set, operation, capacity: desired.capacity, body: stored });
  const rng = nextRng(world, id, call.operation);
  const ownMs = latencyMs(world, call.method === "PATCH" ? "scaleSet.patch" : "scaleSet.model", rng);
  settleLater({ world, operation, endMs: Math.max(plan.endMs, world.nowMs + ownMs), error: plan.error });
  return acceptedWrite({ call, world, operation }, existing ? 200 : 201, setBody(resource, set));
}

function checked(
  world: AzureState,
  wanted: { id: string; existing: Resource | undefined; body: JsonObject },
): Desired {
  const { id, existing, body } = wanted;
  const desired = desiredOf(world, id, body);
  const set = world.scaleSets.get(id);
  if (existing && desired.location !== existing.location) {
    throw invalidParameter(
      "location",
      `Changing property 'location' is not allowed: it is '${existing.location}'.`,
    );
  }
  const before = set?.models[set.modelVersion]?.profile;
  return { ...desired, model: { ...desired.model, profile: withKeptSecrets(desired.model.profile, before) } };
}

function newSet(
  world: AzureState,
  id: string,
  { call, desired }: { call: Call; desired: Desired },
): ScaleSet {
  return {
    id,
    subscription: call.target.subscription ?? "",
    location: desired.location,
    uniqueId: uuidFrom(nextRng(world, id, "uniqueId")),
    capacity: 0,
    modelVersion: 0,
    models: {},
    nextInstanceId: 0,
    resizedMs: 0,
  };
}

/** Check budgets and quotas before any change, so that a refusal changes nothing. */
function charge(
  call: Call,
  world: AzureState,
  facts: { set: ScaleSet; desired: Desired; isNew: boolean },
): void {
  const { set, desired } = facts;
  const { location, model } = desired;
  const more = desired.capacity - set.capacity;
  if (more > 0) {
    const { subscription } = set;
    world.usage.checkQuota({
      subscription,
      location,
      size: model.size,
      isSpot: model.isSpot,
      instances: more,
    });
    const extra = extraInstances(objectAt(call.body, "properties"), more);
    checkAddresses(world, model, more + extra);
  }
  world.throttle.chargeInstances(call, location, { batched: Math.abs(more) });
}

/** The body to store, without the read-only fields that callers send back. */
function storedBody(body: JsonObject, { location, model }: Desired): JsonObject {
  const { id: _id, name: _name, type: _type, etag: _etag, ...rest } = body;
  const properties = { ...objectAt(body, "properties"), virtualMachineProfile: model.profile };
  return { ...rest, location, properties };
}

function store(
  world: AzureState,
  facts: {
    readonly id: string;
    readonly existing: Resource | undefined;
    readonly body: JsonObject;
    readonly desired: Desired;
    readonly operation: Operation;
  },
): Resource {
  const { id, existing, body, desired, operation } = facts;
  const version = existing ? Number(existing.etag.replaceAll('"', "")) + 1 : 1;
  const resource: Resource = {
    id,
    name: id.split("/").at(-1) ?? "",
    type: `${COMPUTE}/${SCALE_SETS}`,
    location: desired.location,
    body,
    etag: `"${version}"`,
    state: existing ? "Updating" : "Creating",
    createdMs: existing?.createdMs ?? world.nowMs,
    visibleMs: existing?.visibleMs ?? visibleMs(world, nextRng(world, id, "visible")),
    operation: operation.id,
    uses: desired.uses,
  };
  world.resources.put(resource);
  return resource;
}

/** Schedules the end of an operation on a set. */
function settleLater(facts: {
  readonly world: AzureState;
  readonly operation: Operation;
  readonly endMs: number;
  readonly error: ErrorBody | undefined;
}): void {
  const { world, operation, endMs, error } = facts;
  const failed = error ?? operation.error;
  world.agenda.enter(endMs, SET_SETTLED, {
    id: operation.resourceId,
    operation: operation.id,
    isFailed: error !== undefined,
  });
  world.operations.start({ ...operation, ...(failed && { error: failed }) }, endMs);
}

/** Ends a PUT or PATCH: sets the state, unless a newer operation has taken over. */
export function setSettled(world: AzureState, args: JsonObject): void {
  const id = textAt(args, "id") ?? "";
  const resource = world.resources.get(id);
  if (resource?.operation !== textAt(args, "operation") || resource === undefined) return;
  const { operation: _, ...rest } = resource;
  world.resources.put({ ...rest, state: args["isFailed"] === true ? "Failed" : "Succeeded" });
}
