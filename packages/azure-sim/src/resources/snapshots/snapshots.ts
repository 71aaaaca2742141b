import { reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, invalidParameter, resourceNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { keyOf, resourceId } from "../../arm/target.ts";
import type { AzureState, Effect } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import type { DiskRef } from "../../disks/disks.ts";
import { type JsonObject, objectAt, sameJson, textAt } from "../../json.ts";
import { COMPUTE, computeBody, removeOrSucceed, startWrite } from "../compute/compute-write.ts";
import { foundResource, visibleIn } from "../found.ts";
import type { Image } from "../images/image.ts";
import { requiredLocation } from "../location.ts";
import type { ResourceType } from "../resource-type.ts";
import { machineOfDisk } from "./os-disk-id.ts";

const SNAPSHOTS = "snapshots";
const PAGE = 100;

function shown(resource: Resource): JsonObject {
  return computeBody(resource, {
    timeCreated: new Date(resource.createdMs).toISOString(),
    diskState: "Unattached",
    // Snapshots of standard and premium disks can be used at once.
    completionPercent: 100,
  });
}

function put(call: Call, world: AzureState) {
  const id = resourceId(call.target, [SNAPSHOTS]);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const body = requireBody(call.body);
  const location = requiredLocation(body);
  const source = sourceOf(body);
  if (existing) {
    checkSource(existing, source);
    const resource = { ...existing, body: { ...existing.body, tags: body["tags"] ?? {} } };
    world.resources.put(resource);
    return reply(200, shown(resource));
  }
  const disk = filesOf(world, source);
  if (!disk) throw sourceNotFound(source);
  // The contents are those of the moment of the request, whatever the machine writes afterwards.
  world.disks.copy(disk, keyOf(id));
  const properties = { ...objectAt(body, "properties"), ...ofImage(world.images.byName(disk.image)) };
  const write = { call, world, id, existing, type: SNAPSHOTS, location, body: { ...body, properties } };
  return startWrite({ ...write, latency: SNAPSHOTS }, shown).answer;
}

/** The files of a disk: those of the machine that boots from it, or its own while it is not attached. */
function filesOf(world: AzureState, source: string): DiskRef | undefined {
  const machine = machineOfDisk(world, source);
  if (machine) return { key: machine.machineId, image: machine.image };
  const image = world.resources.get(source) && world.disks.imageOf(keyOf(source));
  return image === undefined ? undefined : { key: keyOf(source), image };
}

/** What a snapshot has from the image of its machine. */
function ofImage(image: Image | undefined): JsonObject {
  const { osType = "Linux", generation = "V2", plan, securityType } = image ?? {};
  return {
    osType,
    hyperVGeneration: generation,
    ...(plan && { purchasePlan: plan }),
    ...(securityType !== undefined && { securityProfile: { securityType } }),
    diskSizeGB: 30,
  };
}

/** The disk in the body. `sourceUri` is for blobs: Compute refuses it with the option Copy. */
function sourceOf(body: JsonObject): string {
  const data = objectAt(body, "properties", "creationData");
  const option = textAt(data, "createOption");
  if (option !== "Copy")
    throw invalidParameter(
      "creationData.createOption",
      `The value '${option ?? ""}' of parameter 'creationData.createOption' is not simulated; use 'Copy'.`,
    );
  const source = textAt(data, "sourceResourceId");
  if (source !== undefined && source !== "") return source;
  throw invalidParameter(
    "creationData.sourceResourceId",
    "Required parameter 'creationData.sourceResourceId' is missing (null).",
  );
}

function checkSource(existing: Resource, source: string): void {
  const before = textAt(existing.body, "properties", "creationData", "sourceResourceId") ?? "";
  if (sameJson(before.toLowerCase(), source.toLowerCase())) return;
  throw new ArmError(409, {
    code: "PropertyChangeNotAllowed",
    message: "Changing property 'sourceResourceId' is not allowed.",
    target: "sourceResourceId",
  });
}

function sourceNotFound(source: string): ArmError {
  const [, , , , group = "", , provider, type, name] = source.split("/");
  return resourceNotFound(`${provider}/${type}/${name}`, group);
}

const removed: Effect = (world, { id }) => world.disks.discard(keyOf(String(id)));

/** Snapshots of the OS disks of machines. */
export const snapshots: ResourceType = {
  provider: COMPUTE,
  type: SNAPSHOTS,
  effects: { [`${COMPUTE}/${SNAPSHOTS}.removed`]: removed },
  get: (call, world) => reply(200, shown(foundResource(call, world))),
  list: (call, world) => {
    const page = pageOf(visibleIn(world, call.target, `${COMPUTE}/${SNAPSHOTS}`), call.query, PAGE);
    return listAnswer(page.items.map(shown), page.nextSkip, call);
  },
  put,
  delete: (call, world) =>
    removeOrSucceed(call, world, world.resources.get(resourceId(call.target, [SNAPSHOTS]))),
};
