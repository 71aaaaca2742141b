import type { Answer } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { checkPreconditions } from "../../arm/precondition.ts";
import { keyOf, resourceId } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, textAt } from "../../json.ts";
import { COMPUTE, computeBody, startWrite } from "../compute/compute-write.ts";
import { requiredLocation } from "../location.ts";

/** The type of managed disks. */
export const DISKS = "disks";

/** The namespace and type of managed disks. */
export const MANAGED_DISKS = `${COMPUTE}/${DISKS}`;

// What a disk has from the snapshot that it is a copy of.
const COPIED = ["osType", "hyperVGeneration", "purchasePlan", "securityProfile", "diskSizeGB"] as const;

/** PUT of a disk: makes a copy of a snapshot. An existing disk keeps its contents and gets the tags of the request. */
export function putDisk(call: Call, world: AzureState): Answer {
  const id = resourceId(call.target, [DISKS]);
  const existing = world.resources.get(id);
  checkPreconditions(call.headers, existing?.etag);
  const body = requireBody(call.body);
  const location = requiredLocation(body);
  const write = { call, world, id, existing, type: DISKS, location, latency: DISKS };
  if (existing) {
    const tagged = { ...existing.body, tags: body["tags"] ?? {} };
    return startWrite({ ...write, body: tagged }, computeBody).answer;
  }
  const snapshot = sourceOf(world, body);
  copyContents(world, snapshot.id, id);
  const inherited = objectAt(snapshot.body, "properties");
  const properties = {
    ...Object.fromEntries(COPIED.flatMap((field) => (field in inherited ? [[field, inherited[field]]] : []))),
    ...objectAt(body, "properties"),
    diskState: "Unattached",
  };
  return startWrite({ ...write, body: { ...body, properties } }, computeBody).answer;
}

/** Copies the files of a snapshot or disk to a new one. */
export function copyContents(world: AzureState, from: string, to: string): void {
  const image = world.disks.imageOf(keyOf(from));
  if (image !== undefined) world.disks.copy({ key: keyOf(from), image }, keyOf(to));
}

function sourceOf(world: AzureState, body: JsonObject): Resource {
  const data = objectAt(body, "properties", "creationData");
  const option = textAt(data, "createOption");
  const source = textAt(data, "sourceResourceId") ?? "";
  if (option !== "Copy" || !/\/snapshots\/[^/]+$/i.test(source))
    throw invalidParameter(
      "creationData",
      `A disk with createOption '${option ?? ""}' and the source '${source}' is not simulated; use 'Copy' and the id of a snapshot.`,
    );
  const snapshot = world.resources.get(source);
  if (snapshot?.state === "Succeeded") return snapshot;
  if (snapshot)
    throw new ArmError(409, {
      code: "OperationNotAllowed",
      message: `The source '${source}' is in the state ${snapshot.state}; a disk can be made when it is Succeeded.`,
    });
  throw new ArmError(404, {
    code: "ResourceNotFound",
    message: `The source '${source}' of the disk was not found.`,
    target: "creationData.sourceResourceId",
  });
}
