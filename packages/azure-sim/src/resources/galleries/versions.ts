import { reply } from "../../arm/answer.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { keyOf, resourceId } from "../../arm/target.ts";
import type { AzureState, Effect } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, objectsAt, textAt } from "../../json.ts";
import { COMPUTE, computeBody, removeOrSucceed } from "../compute/compute-write.ts";
import { exactName, type Image } from "../images/image.ts";
import type { ResourceType } from "../resource-type.ts";
import { definitionId } from "./definitions.ts";
import { missing } from "./missing.ts";
import { putVersion, sourceOf, VERSION, VERSIONS } from "./version-write.ts";

const PAGE = 100;

function versionId({ target }: Call): string {
  return resourceId(target, VERSION);
}

/** A version as Compute shows it; how far it is replicated only when that is asked for. */
function shown(world: AzureState, resource: Resource, hasStatus: boolean): JsonObject {
  return computeBody(resource, hasStatus ? { replicationStatus: replication(world, resource) } : {});
}

function replication(world: AzureState, resource: Resource): JsonObject {
  const regions = objectsAt(resource.body, "properties", "publishingProfile", "targetRegions");
  const { state, progress } = copying(world, resource);
  return {
    aggregatedState: state === "Replicating" ? "InProgress" : state,
    summary: regions.map((region) => ({ region: textAt(region, "name"), state, progress, details: "" })),
  };
}

/** How far a version is copied. */
function copying(
  world: AzureState,
  resource: Resource,
): { readonly state: string; readonly progress: number } {
  if (resource.state === "Failed") return { state: "Failed", progress: 0 };
  const { startMs, dueMs = 0 } = world.operations.get(resource.operation ?? "") ?? {};
  if (resource.state !== "Creating" || startMs === undefined) return { state: "Completed", progress: 100 };
  const share = (world.nowMs - startMs) / Math.max(1, dueMs - startMs);
  return { state: "Replicating", progress: Math.floor(100 * share) };
}

function fromSettings(image: Image, world: AzureState): JsonObject {
  const regions = image.regions ?? world.settings.regions;
  return {
    id: `${image.definition}/versions/${image.version}`,
    name: image.version,
    type: `${COMPUTE}/${VERSIONS}`,
    location: regions[0],
    properties: {
      publishingProfile: {
        targetRegions: regions.map((name) => ({ name, regionalReplicaCount: 1 })),
        excludeFromLatest: image.excludeFromLatest ?? false,
      },
      provisioningState: "Succeeded",
      replicationStatus: {
        aggregatedState: "Completed",
        summary: regions.map((region) => ({ region, state: "Completed", progress: 100 })),
      },
    },
  };
}

/** Publishes a version whose write has succeeded; without its source there is nothing to publish. */
const settled: Effect = (world, args) => {
  const id = textAt(args, "id") ?? "";
  const resource = world.resources.get(id);
  if (!resource) return;
  const [definition = "", version = ""] = id.split(/\/versions\//i);
  const known = world.images.versionsOf(definition).find((one) => one.version === version);
  const made = known ?? madeFrom(world, sourceOf(resource.body), definition);
  if (made) world.images.publish({ ...made, kind: "gallery", definition, version, ...publishing(resource) });
  else world.resources.put({ ...resource, state: "Failed" });
};

/** What an image has from its definition, and from the snapshot that it is made from. */
function madeFrom(
  world: AzureState,
  source: string,
  definition: string,
): Pick<Image, "files" | "generation" | "isSpecialized"> | undefined {
  const files = contentsOf(world, source);
  const generation = textAt(world.resources.get(source)?.body, "properties", "hyperVGeneration");
  const osState = textAt(world.resources.get(definition)?.body, "properties", "osState");
  const isSpecialized = osState === "Specialized";
  return files && { files, generation: generation === "V1" ? "V1" : "V2", isSpecialized };
}

function contentsOf(world: AzureState, source: string): Image["files"] {
  const image = world.disks.imageOf(keyOf(source));
  if (image === undefined) return undefined;
  return world.disks.contents({ key: keyOf(source), image }, world.images.byName(image)?.files ?? {});
}

function publishing({ body }: Resource): Pick<Image, "regions" | "excludeFromLatest" | "regionalExclusions"> {
  const profile = objectAt(body, "properties", "publishingProfile");
  const regions = objectsAt(profile, "targetRegions").map((one) => ({
    name: (textAt(one, "name") ?? "").replaceAll(" ", "").toLowerCase(),
    isExcluded: one["excludeFromLatest"],
  }));
  const exclusions = regions.flatMap(({ name, isExcluded }) =>
    typeof isExcluded === "boolean" ? [[name, isExcluded] as const] : [],
  );
  return {
    regions: regions.map(({ name }) => name),
    excludeFromLatest: profile["excludeFromLatest"] === true,
    regionalExclusions: Object.fromEntries(exclusions),
  };
}

/** Takes a version out of its definition. Machines that run from it keep their disks. */
const removed: Effect = (world, args) => {
  const [definition = "", version = ""] = (textAt(args, "id") ?? "").split(/\/versions\//i);
  world.images.retire(exactName({ kind: "gallery", definition, version }));
  const used = new Set<string>();
  for (const { image } of world.machines.records()) used.add(image.toLowerCase());
  world.images.dropUnused(used);
};

function isExpanded({ query }: Call): boolean {
  return query.get("$expand")?.toLowerCase() === "replicationstatus";
}

/** The versions of a definition: resources first, then those of the settings. */
function all(call: Call, world: AzureState): readonly JsonObject[] {
  const definition = definitionId(call);
  const prefix = `${definition.toLowerCase()}/versions/`;
  const group = definition.split("/").slice(0, 5).join("/");
  const stored = [...world.resources.in(group, `${COMPUTE}/${VERSIONS}`)].filter(
    ({ id, visibleMs }) => id.toLowerCase().startsWith(prefix) && visibleMs <= world.nowMs,
  );
  const known = new Set(stored.map(({ name }) => name));
  const others = world.images.versionsOf(definition).filter(({ version = "" }) => !known.has(version));
  return [
    ...stored.map((one) => shown(world, one, false)),
    ...others.map((image) => fromSettings(image, world)),
  ];
}

/** Versions of images in galleries. */
export const versions: ResourceType = {
  provider: COMPUTE,
  type: VERSIONS,
  effects: { [`${COMPUTE}/${VERSIONS}.settled`]: settled, [`${COMPUTE}/${VERSIONS}.removed`]: removed },
  get: (call, world) => {
    const stored = world.resources.get(versionId(call));
    if (stored) return reply(200, shown(world, stored, isExpanded(call)));
    const wanted = call.target.names[2];
    const image = world.images.versionsOf(definitionId(call)).find((one) => one.version === wanted);
    if (!image) throw missing(call);
    return reply(200, fromSettings(image, world));
  },
  list: (call, world) => {
    const page = pageOf(all(call, world), call.query, PAGE);
    return listAnswer(page.items, page.nextSkip, call);
  },
  put: (call, world) => putVersion(call, world, (resource) => shown(world, resource, false)),
  delete: (call, world) => removeOrSucceed(call, world, world.resources.get(versionId(call))),
};
