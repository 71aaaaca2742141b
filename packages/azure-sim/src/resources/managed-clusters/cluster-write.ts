import { uuidFrom } from "@capstan/env";
import { type Answer, empty, reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, beingDeleted, invalidParameter } from "../../arm/errors.ts";
import { resourceId } from "../../arm/target.ts";
import { type AzureState, type Effect, nextRng, visibleMs } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, mergePatch, objectAt, objectsAt, textAt } from "../../json.ts";
import { acceptedAction, acceptedWrite } from "../../operations/start.ts";
import { foundResource } from "../found.ts";
import { requiredLocation } from "../location.ts";
import { GROUP_REMOVED } from "../resource-groups/resource-groups.ts";
import type { Verb } from "../resource-type.ts";
import { clusterBody } from "./bodies.ts";
import {
  CLUSTER_TYPE,
  fqdnOf,
  MAINTENANCE,
  MANAGED_CLUSTERS,
  nodeGroupId,
  type Pool,
  poolNamed,
  poolsOf,
  propertiesOf,
  runningVersion,
} from "./cluster-state.ts";
import { desiredCluster, desiredPool } from "./desired.ts";
import { createNodeGroup, setPower, updateNodes } from "./nodes.ts";
import { checkIdle, endLater, startOperation } from "./work.ts";

/** The effect that removes a cluster with its nodes. */
export const CLUSTER_REMOVED = "managedCluster.removed";

/** PUT: creates a cluster with its first pools, or updates it. */
export const putCluster: Verb = (call, world) => {
  const id = resourceId(call.target, [MANAGED_CLUSTERS]);
  const existing = world.resources.get(id);
  const body = requireBody(call.body);
  if (existing) checkWritable(existing, body);
  const location = requiredLocation(body);
  const desired = desiredCluster(world, existing, body);
  const version = runningVersion(desired, "Kubernetes");
  const agentPoolProfiles = desiredPools(world, { existing, body, location, version });
  const properties = { ...desired, agentPoolProfiles };
  return existing
    ? update(call, world, { existing, wanted: { id: existing.id, body, location, properties } })
    : create(call, world, { id, body, location, properties });
};

function checkWritable(existing: Resource, body: JsonObject): void {
  if (existing.state === "Deleting") throw beingDeleted(existing.id);
  checkIdle(existing);
  if (requiredLocation(body) !== existing.location) throw cannotMove(existing.location);
}

interface Wanted {
  readonly id: string;
  readonly body: JsonObject;
  readonly location: string;
  readonly properties: JsonObject;
}

function desiredPools(
  world: AzureState,
  facts: { existing: Resource | undefined; body: JsonObject; location: string; version: string },
): readonly Pool[] {
  const { existing, body, location, version } = facts;
  const given = objectsAt(body, "properties", "agentPoolProfiles");
  // A PUT without pools leaves those of an existing cluster unchanged.
  if (given.length === 0 && existing) return poolsOf(existing);
  if (!given.some((pool) => textAt(pool, "mode") === "System")) {
    throw invalidParameter(
      "agentPoolProfiles",
      "Required parameter agentPoolProfiles is missing (null): a managed cluster needs at least one agent pool of mode System.",
    );
  }
  return given.map((pool) => {
    const name = textAt(pool, "name") ?? "";
    const before = poolNamed(existing, name);
    return {
      ...desiredPool(world, { location, version }, { name, given: pool, before }),
      provisioningState: "Creating",
    };
  });
}

function create(call: Call, world: AzureState, { id, body, location, properties }: Wanted): Answer {
  const rng = nextRng(world, id, call.operation);
  const { operation, ownMs } = startOperation(call, world, {
    cluster: { id, location },
    latency: "managedCluster.create",
  });
  const name = id.split("/").at(-1) ?? "";
  const dnsPrefix = textAt(properties, "dnsPrefix") ?? name;
  const resource: Resource = {
    id,
    name,
    type: CLUSTER_TYPE,
    location,
    body: {
      ...callerFields(body),
      properties: {
        nodeResourceGroup: `MC_${call.target.group}_${name}_${location}`,
        ...properties,
        dnsPrefix,
        ...addressOf(id, properties, { dnsPrefix, location }),
        powerState: { code: "Running" },
        resourceUID: uuidFrom(rng).replaceAll("-", "").slice(0, 24),
      },
    },
    etag: `"${uuidFrom(rng)}"`,
    state: "Creating",
    createdMs: world.nowMs,
    visibleMs: visibleMs(world, rng),
    operation: operation.id,
    uses: [],
  };
  world.resources.put(resource);
  createNodeGroup(world, resource);
  const ends = poolsOf(resource).map((pool) => updateNodes(world, resource, { pool }));
  const error = ends.find((end) => end.error !== undefined)?.error;
  endLater(world, operation, { atMs: Math.max(ownMs, ...ends.map(({ endMs }) => endMs)), error });
  world.notifyManagedCluster({ kind: "created", id: resource.id });
  return acceptedWrite({ call, world, operation }, 201, clusterBody(world, resource));
}

/** A private cluster has a private name, and a public one only if its caller asks for it. */
function addressOf(
  id: string,
  properties: JsonObject,
  { dnsPrefix, location }: { readonly dnsPrefix: string; readonly location: string },
): JsonObject {
  const access = objectAt(properties, "apiServerAccessProfile");
  const fqdn = fqdnOf(id, dnsPrefix, location);
  if (access["enablePrivateCluster"] !== true) return { fqdn };
  const privateFQDN = fqdn.replace(".hcp.", ".privatelink.");
  return access["enablePrivateClusterPublicFQDN"] === false ? { privateFQDN } : { fqdn, privateFQDN };
}

function update(
  call: Call,
  world: AzureState,
  { existing, wanted }: { readonly existing: Resource; readonly wanted: Wanted },
): Answer {
  const before = propertiesOf(existing);
  const isUpgrade = runningVersion(before, "Kubernetes") !== runningVersion(wanted.properties, "Kubernetes");
  const latency = isUpgrade ? "managedCluster.upgrade" : "managedCluster.update";
  const { operation, ownMs } = startOperation(call, world, { cluster: existing, latency });
  const kept = ["nodeResourceGroup", "dnsPrefix", "fqdn", "privateFQDN", "powerState", "resourceUID"];
  const properties = {
    ...wanted.properties,
    ...Object.fromEntries(
      kept.flatMap((field) => (before[field] === undefined ? [] : [[field, before[field]]])),
    ),
    provisioningState: isUpgrade ? "Upgrading" : "Updating",
  };
  const resource: Resource = {
    ...existing,
    body: {
      ...callerFields(wanted.body),
      properties,
      ...(existing.body[MAINTENANCE] !== undefined && { [MAINTENANCE]: existing.body[MAINTENANCE] }),
    },
    etag: `"${uuidFrom(nextRng(world, existing.id, "etag"))}"`,
    state: "Updating",
    operation: operation.id,
  };
  world.resources.put(resource);
  const ends = poolsOf(resource).map((pool) =>
    updateNodes(world, resource, { pool, before: poolNamed(existing, textAt(pool, "name") ?? "") }),
  );
  endLater(world, operation, { atMs: Math.max(ownMs, ...ends.map(({ endMs }) => endMs)) });
  return acceptedWrite({ call, world, operation }, 200, clusterBody(world, resource));
}

/** The top-level fields that a caller may write. */
function callerFields(body: JsonObject): JsonObject {
  const { id: _id, name: _name, type: _type, etag: _etag, location: _location, ...rest } = body;
  return rest;
}

function cannotMove(location: string): ArmError {
  return new ArmError(409, {
    code: "InvalidResourceLocation",
    message: `The resource already exists in location '${location}' in resource group. A resource with the same name cannot be created in another location. Please select a new resource name.`,
  });
}

/** PATCH: tags. */
export const patchCluster: Verb = (call, world) => {
  const cluster = foundResource(call, world);
  checkIdle(cluster);
  const { tags } = mergePatch({ tags: cluster.body["tags"] ?? {} }, requireBody(call.body)) as JsonObject;
  const resource = { ...cluster, body: { ...cluster.body, tags } };
  world.resources.put(resource);
  return reply(200, clusterBody(world, resource));
};

/** DELETE: removes the nodes, their group and the cluster. */
export const deleteCluster: Verb = (call, world) => {
  const cluster = world.resources.get(resourceId(call.target, [MANAGED_CLUSTERS]));
  if (!cluster) return empty(204);
  const running = world.operations.get(cluster.operation ?? "");
  if (cluster.state === "Deleting" && running?.status === "InProgress")
    return acceptedAction(call, world, running);
  if (cluster.operation !== undefined) world.operations.preempt(cluster.operation, world.nowMs);
  const { operation, ownMs } = startOperation(call, world, { cluster, latency: "managedCluster.delete" });
  world.resources.put({ ...cluster, state: "Deleting", operation: operation.id });
  if (operation.error) endLater(world, operation, { atMs: ownMs });
  else {
    world.agenda.enter(ownMs, CLUSTER_REMOVED, { id: cluster.id, operation: operation.id });
    world.operations.start(operation, ownMs);
  }
  return acceptedAction(call, world, operation);
};

/** Removes a cluster and the group of its nodes. */
export const removeCluster: Effect = (world, args) => {
  const cluster = world.resources.get(textAt(args, "id") ?? "");
  const operation = textAt(args, "operation");
  if (!cluster || (operation !== undefined && cluster.operation !== operation)) return;
  world.resources.delete(cluster.id);
  world.effects.get(GROUP_REMOVED)?.(world, { id: nodeGroupId(cluster) });
  world.notifyManagedCluster({ kind: "deleted", id: cluster.id });
};

/** POST stop or start: the nodes are deallocated or started, and nothing else is allowed while a cluster is stopped. */
export function powerAction(action: "stop" | "start"): Verb {
  return (call, world) => {
    const cluster = foundResource(call, world);
    checkIdle(cluster);
    const { operation, ownMs } = startOperation(call, world, {
      cluster,
      latency: `managedCluster.${action}`,
    });
    const properties = {
      ...propertiesOf(cluster),
      provisioningState: action === "stop" ? "Stopping" : "Starting",
    };
    const resource: Resource = {
      ...cluster,
      body: { ...cluster.body, properties },
      state: "Updating",
      operation: operation.id,
    };
    world.resources.put(resource);
    setPower(world, resource, {
      pools: poolsOf(resource),
      action: action === "stop" ? "deallocate" : "start",
    });
    const powerState = { code: action === "stop" ? "Stopped" : "Running" };
    endLater(world, operation, { atMs: ownMs, effectArgs: { powerState } });
    return acceptedAction(call, world, operation);
  };
}
