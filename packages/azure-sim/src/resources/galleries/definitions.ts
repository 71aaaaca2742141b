import { reply } from "../../arm/answer.ts";
import { requireBody } from "../../arm/body.ts";
import { ArmError, invalidParameter, parentNotFound } from "../../arm/errors.ts";
import { listAnswer, pageOf } from "../../arm/paging.ts";
import { resourceId } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Call } from "../../core/call.ts";
import type { Resource } from "../../core/resources.ts";
import { type JsonObject, objectAt, sameJson, textAt } from "../../json.ts";
import { COMPUTE, computeBody, startWrite } from "../compute/compute-write.ts";
import { visibleIn } from "../found.ts";
import type { Image } from "../images/image.ts";
import { isWithin } from "../images/images.ts";
import { requiredLocation } from "../location.ts";
import type { ResourceType } from "../resource-type.ts";
import { deleteEmpty, galleryLocation } from "./galleries.ts";
import { checkImageQuota } from "./image-quotas.ts";
import { missing } from "./missing.ts";

/** The types of a definition in its gallery. */
const DEFINITION = ["galleries", "images"] as const;
const TYPE = DEFINITION.join("/");
const PAGE = 100;
const IMMUTABLE = [
  "osType",
  "osState",
  "hyperVGeneration",
  "identifier",
  "architecture",
  "purchasePlan",
  "features",
];

/** The id of the definition in a path. */
export function definitionId({ target }: Call): string {
  return resourceId({ ...target, names: target.names.slice(0, 2) }, DEFINITION);
}

function fromSettings({ definition, osType, regions }: Image): JsonObject {
  return {
    id: definition,
    name: definition.split("/").at(-1),
    type: `${COMPUTE}/${TYPE}`,
    location: regions?.[0],
    properties: {
      osType: osType ?? "Linux",
      osState: "Generalized",
      hyperVGeneration: "V2",
      provisioningState: "Succeeded",
    },
  };
}

function put(call: Call, world: AzureState) {
  const id = definitionId(call);
  const existing = world.resources.get(id);
  if (galleryLocation(call, world) === undefined)
    throw parentNotFound(TYPE, `galleries/${call.target.names[0]}`);
  const body = requireBody(call.body);
  const location = existing?.location ?? requiredLocation(body);
  checkComplete(body);
  if (existing) checkUnchanged(existing, body);
  else {
    checkUnique(world, id, objectAt(body, "properties", "identifier"));
    checkImageQuota(world, { ...call.target, location, type: TYPE });
  }
  const write = { call, world, id: existing?.id ?? id, existing, type: TYPE, location, body };
  return startWrite({ ...write, latency: TYPE }, computeBody).answer;
}

function checkComplete(body: JsonObject): void {
  const properties = objectAt(body, "properties");
  const needed = [
    ["osType"],
    ["osState"],
    ["identifier", "publisher"],
    ["identifier", "offer"],
    ["identifier", "sku"],
  ];
  const absent = needed.find((path) => textAt(properties, ...path) === undefined);
  if (!absent) return;
  const name = `galleryImage.properties.${absent.join(".")}`;
  throw invalidParameter(name, `Required parameter '${name}' is missing (null).`);
}

function checkUnchanged(existing: Resource, body: JsonObject): void {
  const before = objectAt(existing.body, "properties");
  const after = objectAt(body, "properties");
  const changed = IMMUTABLE.find((field) => field in after && !sameJson(before[field], after[field]));
  if (changed === undefined) return;
  throw new ArmError(409, {
    code: "PropertyChangeNotAllowed",
    message: `Changing property 'galleryImage.properties.${changed}' is not allowed.`,
    target: `galleryImage.properties.${changed}`,
  });
}

function checkUnique(world: AzureState, id: string, identifier: JsonObject): void {
  const gallery = id.toLowerCase().slice(0, id.toLowerCase().lastIndexOf("/images/") + 1);
  const group = id.split("/").slice(0, 5).join("/");
  for (const other of world.resources.in(group, `${COMPUTE}/${TYPE}`)) {
    if (!other.id.toLowerCase().startsWith(gallery)) continue;
    if (!sameJson(objectAt(other.body, "properties", "identifier"), identifier)) continue;
    throw new ArmError(409, {
      code: "Conflict",
      message: `The combination of publisher, offer and sku must be unique in a gallery; ${other.id} has it already.`,
    });
  }
}

/** The definitions of a gallery that are resources. */
function* storedIn(call: Call, world: AzureState): Generator<Resource> {
  const prefix = `/galleries/${call.target.names[0]}/`.toLowerCase();
  for (const one of visibleIn(world, call.target, `${COMPUTE}/${TYPE}`))
    if (one.id.toLowerCase().includes(prefix)) yield one;
}

/** Definitions of images in galleries. */
export const definitions: ResourceType = {
  provider: COMPUTE,
  type: TYPE,
  get: (call, world) => {
    const stored = world.resources.get(definitionId(call));
    if (stored) return reply(200, computeBody(stored));
    const newest = world.images.versionsOf(definitionId(call)).at(-1);
    if (!newest) throw missing(call);
    return reply(200, fromSettings(newest));
  },
  list: (call, world) => {
    const stored = [...storedIn(call, world)];
    const known = new Set(stored.map(({ id }) => id.toLowerCase()));
    const prefix = `/galleries/${call.target.names[0]}/`.toLowerCase();
    const others = [...world.images.definitions("gallery")].filter(({ definition }) => {
      const key = definition.toLowerCase();
      return isWithin(call.target, definition) && key.includes(prefix) && !known.has(key);
    });
    const bodies = [...stored.map((one) => computeBody(one)), ...others.map(fromSettings)];
    const page = pageOf(bodies, call.query, PAGE);
    return listAnswer(page.items, page.nextSkip, call);
  },
  put,
  delete: (call, world) => deleteEmpty(call, world, DEFINITION),
};
