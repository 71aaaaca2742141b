import { reply } from "../../arm/answer.ts";
import { resourceNotFound } from "../../arm/errors.ts";
import { resourceId } from "../../arm/target.ts";
import type { Call } from "../../core/call.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Image } from "../images/image.ts";
import { isWithin } from "../images/images.ts";
import type { ResourceType } from "../resource-type.ts";

const COMPUTE = "Microsoft.Compute";

function missing(call: Call): Error {
  const { types, names, group = "" } = call.target;
  const path = types.map((type, index) => `${type}/${names[index]}`).join("/");
  return resourceNotFound(`${COMPUTE}/${path}`, group);
}

function definitionBody({ definition, osType, regions }: Image): unknown {
  return {
    id: definition,
    name: definition.split("/").at(-1),
    type: `${COMPUTE}/galleries/images`,
    location: regions?.[0],
    properties: {
      osType: osType ?? "Linux",
      osState: "Generalized",
      hyperVGeneration: "V2",
      provisioningState: "Succeeded",
    },
  };
}

function versionBody(image: Image, world: AzureState): unknown {
  const regions = image.regions ?? world.settings.regions;
  return {
    id: `${image.definition}/versions/${image.version}`,
    name: image.version,
    type: `${COMPUTE}/galleries/images/versions`,
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

function definitionOf(call: Call): string {
  return resourceId({ ...call.target, names: call.target.names.slice(0, 2) }, ["galleries", "images"]);
}

/** Compute galleries: read only, from the settings. */
export const galleryTypes: readonly ResourceType[] = [
  {
    provider: COMPUTE,
    type: "galleries",
    get: (call, world) => {
      const id = resourceId(call.target, ["galleries"]);
      const inside = [...world.images.definitions("gallery")].find((one) =>
        one.definition.toLowerCase().startsWith(`${id.toLowerCase()}/`),
      );
      if (!inside) throw missing(call);
      return reply(200, {
        id,
        name: call.target.names[0],
        type: `${COMPUTE}/galleries`,
        location: inside.regions?.[0] ?? world.settings.regions[0],
        properties: { provisioningState: "Succeeded" },
      });
    },
  },
  {
    provider: COMPUTE,
    type: "galleries/images",
    get: (call, world) => {
      const newest = world.images.versionsOf(definitionOf(call)).at(-1);
      if (!newest) throw missing(call);
      return reply(200, definitionBody(newest));
    },
    list: (call, world) => {
      const prefix = `/galleries/${call.target.names[0]}/`.toLowerCase();
      const all = [...world.images.definitions("gallery")].filter(
        ({ definition }) => isWithin(call.target, definition) && definition.toLowerCase().includes(prefix),
      );
      return reply(200, { value: all.map(definitionBody) });
    },
  },
  {
    provider: COMPUTE,
    type: "galleries/images/versions",
    get: (call, world) => {
      const wanted = call.target.names[2];
      const image = world.images.versionsOf(definitionOf(call)).find((one) => one.version === wanted);
      if (!image) throw missing(call);
      return reply(200, versionBody(image, world));
    },
    list: (call, world) =>
      reply(200, {
        value: world.images.versionsOf(definitionOf(call)).map((one) => versionBody(one, world)),
      }),
  },
];
