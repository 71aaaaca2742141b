import type { Answer } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, beingDeleted, invalidParameter, parentNotFound } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { resourceId } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, sameJson, textAt } from "../../json.ts";
import { startWrite } from "../compute/compute-write.ts";
import { requiredLocation } from "../location.ts";
import { checkImageQuota } from "./image-quotas.ts";
import { definitionId } from "./definitions.ts";

/** The types of a version in its gallery. */
export const VERSION = ["galleries", "images", "versions"] as const;

/** The same as one text. */
export const VERSIONS = VERSION.join("/");

// Three numbers, each a signed integer of 32 bits.
const NAME = /^(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})\.(0|[1-9]\d{0,9})$/;
const LARGEST_NUMBER = 2 ** 31 - 1;

/** The snapshot that a version is made from. */
export function sourceOf(body: JsonObject): string {
  const disk = objectAt(body, "properties", "storageProfile", "osDiskImage", "source");
  return textAt(disk, "id") ?? textAt(objectAt(body, "properties", "storageProfile", "source"), "id") ?? "";
}

/** PUT of a version: copies the snapshot into all its regions, or changes how an existing version is published. */
export function putVersion(call: Call, world: AzureState, shown: (resource: Resource) => unknown): Answer {
  const id = resourceId(call.target, VERSION);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const body = requireBody(call.body);
  const definition = world.resources.get(definitionId(call));
  if (!definition) throw parentNotFound(VERSIONS, `images/${call.target.names[1]}`);
  const location = existing?.location ?? requiredLocation(body);
  checkName(call.target.names[2] ?? "");
  checkRegions(world, body, location);
  if (existing) checkUpdate(existing, body);
  else checkNew(call, world, { body, definition, location });
  const write = { call, world, existing, type: VERSIONS, location };
  const given = existing
    ? { id: existing.id, body, latency: `${VERSIONS}.update` }
    : { id, body: withSize(world, body), latency: VERSIONS };
  return startWrite({ ...write, ...given }, shown).answer;
}

interface NewVersion {
  readonly body: JsonObject;
  readonly definition: Resource;
  readonly location: string;
}

function checkNew(call: Call, world: AzureState, { body, definition, location }: NewVersion): void {
  checkSource(world, body, definition);
  checkImageQuota(world, { ...call.target, location, type: VERSIONS });
}

/** Azure says how large the image is, by the snapshot. */
function withSize(world: AzureState, body: JsonObject): JsonObject {
  const snapshot = world.resources.get(sourceOf(body));
  const sizeInGB = objectAt(snapshot?.body ?? {}, "properties")["diskSizeGB"] ?? 30;
  const properties = objectAt(body, "properties");
  const storageProfile = objectAt(properties, "storageProfile");
  const osDiskImage = { ...objectAt(storageProfile, "osDiskImage"), sizeInGB };
  return { ...body, properties: { ...properties, storageProfile: { ...storageProfile, osDiskImage } } };
}

function checkName(name: string): void {
  const isName = NAME.test(name) && name.split(".").every((part) => Number(part) <= LARGEST_NUMBER);
  if (isName) return;
  throw invalidParameter(
    "galleryImageVersionName",
    `The value '${name}' of parameter 'galleryImageVersionName' is invalid: it has the form Major.Minor.Patch, each a number of 32 bits.`,
  );
}

function checkRegions(world: AzureState, body: JsonObject, location: string): void {
  const names = objectsAt(body, "properties", "publishingProfile", "targetRegions").map((one) =>
    (textAt(one, "name") ?? "").replaceAll(" ", "").toLowerCase(),
  );
  const unknown = names.find((name) => !world.settings.regions.includes(name));
  if (unknown !== undefined)
    throw invalidParameter("targetRegions", `The region '${unknown}' is not available for gallery images.`);
  if (names.includes(location)) return;
  throw invalidParameter(
    "targetRegions",
    `The publishing profile must contain the source region '${location}' as a target region.`,
  );
}

/** What may not change in a version. One whose creation has failed accepts nothing but its deletion. */
function checkUpdate(existing: Resource, body: JsonObject): void {
  if (existing.state === "Deleting") throw beingDeleted(existing.id);
  if (existing.state === "Failed") {
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: `The gallery image version '${existing.name}' has failed to be created. Delete it before it is created again.`,
    });
  }
  const source = sourceOf(body);
  if (source === "" || sameJson(source.toLowerCase(), sourceOf(existing.body).toLowerCase())) return;
  throw new ArmError(409, {
    code: "PropertyChangeNotAllowed",
    message: "Changing property 'galleryImageVersion.properties.storageProfile.source' is not allowed.",
    target: "galleryImageVersion.properties.storageProfile.source",
  });
}

function checkSource(world: AzureState, body: JsonObject, definition: Resource): void {
  const source = sourceOf(body);
  const snapshot = world.resources.get(source);
  if (!snapshot) {
    throw new ArmError(404, {
      code: "ResourceNotFound",
      message: `The source '${source}' of the gallery image version was not found.`,
      target: "galleryImageVersion.properties.storageProfile.source.id",
    });
  }
  if (snapshot.state !== "Succeeded") {
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: `The source '${source}' is in the state ${snapshot.state}; a version can be made when it is Succeeded.`,
    });
  }
  checkMatch(objectAt(snapshot.body, "properties"), objectAt(definition.body, "properties"));
}

/** A definition must match what its versions are made from. */
function checkMatch(source: JsonObject, definition: JsonObject): void {
  const pairs = [
    ["hyperVGeneration", source["hyperVGeneration"] ?? "V1", definition["hyperVGeneration"] ?? "V1"],
    ["osType", source["osType"] ?? "Linux", definition["osType"]],
    ["purchasePlan", source["purchasePlan"] ?? null, definition["purchasePlan"] ?? null],
    ["securityType", securityOf(source), securityIn(definition)],
  ] as const;
  for (const [field, found, wanted] of pairs) {
    if (sameJson(found, wanted)) continue;
    throw new ArmError(409, {
      code: "InvalidParameter",
      message: `The source has the ${field} ${JSON.stringify(found)}, and the gallery image definition ${JSON.stringify(wanted)}. They must be the same.`,
      target: field,
    });
  }
}

function securityOf(source: JsonObject): string {
  return textAt(source, "securityProfile", "securityType") ?? "Standard";
}

/** The security type that a definition demands. One that only supports trusted launch takes standard sources, too. */
function securityIn(definition: JsonObject): string {
  const feature = objectsAt(definition, "features").find((one) => textAt(one, "name") === "SecurityType");
  const value = textAt(feature, "value") ?? "Standard";
  return value === "TrustedLaunchSupported" ? "Standard" : value;
}
