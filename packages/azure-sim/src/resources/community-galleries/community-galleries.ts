import { reply } from "../../arm/answer.ts";
import { ArmError } from "../../arm/errors.ts";
import type { Call } from "../../core/call.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Image } from "../images/image.ts";
import type { ResourceType } from "../resource-type.ts";

const COMPUTE = "Microsoft.Compute";

function notFound(call: Call): ArmError {
  return new ArmError(404, {
    code: "GalleryImageNotFound",
    message: `The gallery image ${call.target.path} was not found in this region. Please contact image owner to replicate to this region, or change your requested region.`,
  });
}

function versionsIn(call: Call, world: AzureState): readonly Image[] {
  const [location = "", gallery, image] = call.target.names;
  const region = location.toLowerCase();
  return world.images
    .versionsOf(`/CommunityGalleries/${gallery}/Images/${image}`)
    .filter(({ regions }) => regions === undefined || regions.includes(region));
}

function imageBody({ definition, osType }: Image, location: string): unknown {
  return {
    name: definition.split("/").at(-1),
    location,
    type: `${COMPUTE}/galleries/images`,
    identifier: { uniqueId: definition },
    properties: { osType: osType ?? "Linux", osState: "Generalized", hyperVGeneration: "V2" },
  };
}

function versionBody({ definition, version, excludeFromLatest }: Image, location: string): unknown {
  return {
    name: version,
    location,
    type: `${COMPUTE}/galleries/images/versions`,
    identifier: { uniqueId: `${definition}/Versions/${version}` },
    properties: { excludeFromLatest: excludeFromLatest ?? false },
  };
}

/** Community galleries: read only. */
export const communityGalleryTypes: readonly ResourceType[] = [
  {
    provider: COMPUTE,
    type: "locations/communityGalleries",
    isInSubscription: true,
    get: (call, world) => {
      const [location, gallery = ""] = call.target.names;
      const prefix = `/communitygalleries/${gallery}/`.toLowerCase();
      const inside = [...world.images.definitions("community")].find((one) =>
        one.definition.toLowerCase().startsWith(prefix),
      );
      if (!inside) throw notFound(call);
      const identifier = { uniqueId: `/CommunityGalleries/${gallery}` };
      return reply(200, { name: gallery, location, type: `${COMPUTE}/galleries`, identifier });
    },
  },
  {
    provider: COMPUTE,
    type: "locations/communityGalleries/images",
    isInSubscription: true,
    get: (call, world) => {
      const newest = versionsIn(call, world).at(-1);
      if (!newest) throw notFound(call);
      return reply(200, imageBody(newest, call.target.names[0] ?? ""));
    },
    list: (call, world) => {
      const [location = "", gallery = ""] = call.target.names;
      const prefix = `/communitygalleries/${gallery}/`.toLowerCase();
      const all = [...world.images.definitions("community")].filter((one) =>
        one.definition.toLowerCase().startsWith(prefix),
      );
      return reply(200, { value: all.map((one) => imageBody(one, location)) });
    },
  },
  {
    provider: COMPUTE,
    type: "locations/communityGalleries/images/versions",
    isInSubscription: true,
    get: (call, world) => {
      const wanted = call.target.names[3];
      const image = versionsIn(call, world).find((one) => one.version === wanted);
      if (!image) throw notFound(call);
      return reply(200, versionBody(image, call.target.names[0] ?? ""));
    },
    list: (call, world) =>
      reply(200, {
        value: versionsIn(call, world).map((one) => versionBody(one, call.target.names[0] ?? "")),
      }),
  },
];
