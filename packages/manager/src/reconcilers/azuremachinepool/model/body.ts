import type { AzureMachinePool, Frozen, JsonObject } from "@capstan/api";
import { ownershipTag, type Tags, tagsIn, tagsOf } from "@capstan/plan";
import { ITEMS_TAG, itemsTag, part } from "./merge-body.ts";
import { sentOsProfile } from "./vm-profile.ts";
import type { ScaleSetModel } from "./model.ts";
import { UNKNOWN_MODEL } from "../../../pools/well-known.ts";

/** The tag of a scale set: the hash of its model. */
const MODEL_TAG = "capstan_model-hash";
/** The tag of a scale set: the pool it belongs to. */
const POOL_TAG = "capstan_pool";
/** The tag of a scale set: the request that its bootstrap data answers. */
export const BOOTSTRAP_TAG = "capstan_bootstrap";

const ROLE = "node";

/** The input of the body of a PUT. */
export interface BodyOptions {
  readonly model: ScaleSetModel;
  readonly capacity: number;
  readonly tags: Tags;
  /** The bootstrap data in base64. */
  readonly customData: string;
}

/** The desired scale set, as the body of a PUT. */
export function scaleSetBody({ spec }: Frozen<AzureMachinePool>, options: BodyOptions): JsonObject {
  const { model, capacity, tags, customData } = options;
  const { zoneBalance, platformFaultDomainCount } = spec;
  const body = {
    location: spec.location,
    sku: { name: model.sku, tier: "Standard", capacity },
    ...(model.zones.length > 0 && { zones: model.zones }),
    ...(model.identity && { identity: model.identity }),
    ...(model.plan && { plan: model.plan }),
    properties: {
      orchestrationMode: "Uniform",
      // The pool controller decides which instance is replaced when.
      upgradePolicy: { mode: "Manual" },
      overprovision: false,
      // More than 100 instances need more than one placement group.
      singlePlacementGroup: false,
      ...(zoneBalance !== undefined && model.zones.length > 1 && { zoneBalance }),
      ...(platformFaultDomainCount !== undefined && { platformFaultDomainCount }),
      ...(model.capabilities && { additionalCapabilities: model.capabilities }),
      virtualMachineProfile: {
        ...model.profile,
        osProfile: sentOsProfile(model.profile, customData),
      },
    },
  };
  return { ...body, tags: withItems(tags, itemsTag(body)) };
}

function withItems({ [ITEMS_TAG]: _, ...tags }: Tags, items: string): Tags {
  return items === "" ? tags : { ...tags, [ITEMS_TAG]: items };
}

/** The owner of a scale set, and its model. */
export interface TagFacts {
  readonly clusterName: string;
  readonly clusterKey: string;
  /** The cluster's tags, overridden by the pool's. */
  readonly additionalTags: Tags;
  readonly poolKey: string;
  readonly modelHash: string;
}

/** Our tags of a scale set, except the one about its bootstrap data. */
export function scaleSetTags({ clusterName, poolKey, modelHash, ...source }: TagFacts): Tags {
  return {
    ...tagsOf({ clusterName, ...source }, ROLE),
    // The cloud provider in the workload cluster finds its machines by this tag.
    [`kubernetes.io_cluster_${clusterName}`]: "owned",
    [POOL_TAG]: poolKey,
    [MODEL_TAG]: modelHash,
  };
}

/** A scale set as it was read. */
export interface ObservedSet {
  readonly etag: string | undefined;
  readonly capacity: number;
  /** The VM size, such as Standard_D2s_v3. */
  readonly size: string;
  readonly modelHash: string;
  readonly provisioningState: string;
  readonly tags: Tags;
  readonly imageReference: JsonObject;
  /** The whole scale set; a write starts from it, so that fields of other clients stay. */
  readonly body: JsonObject;
}

/** Parses a scale set. */
export function parseScaleSet(body: JsonObject, etag: string | undefined): ObservedSet {
  const tags = tagsIn(body);
  const sku = part(body, "sku");
  const properties = part(body, "properties");
  const storage = part(part(properties, "virtualMachineProfile"), "storageProfile");
  const state = properties["provisioningState"];
  return {
    etag,
    capacity: typeof sku["capacity"] === "number" ? sku["capacity"] : 0,
    size: typeof sku["name"] === "string" ? sku["name"] : "",
    modelHash: tags[MODEL_TAG] ?? UNKNOWN_MODEL,
    provisioningState: typeof state === "string" ? state : "",
    tags,
    imageReference: part(storage, "imageReference"),
    body,
  };
}

/** Why an existing scale set is not ours; undefined if it is. */
export function foreignProblem(
  { tags }: ObservedSet,
  { clusterName, poolKey }: Pick<TagFacts, "clusterName" | "poolKey">,
): string | undefined {
  const owner = ownershipTag(clusterName).toLowerCase();
  const isOurs = Object.entries(tags).some(
    ([name, value]) => name.toLowerCase() === owner && value === "owned",
  );
  if (!isOurs) {
    return `a scale set of that name already exists without the tag ${ownershipTag(clusterName)}: owned; give the pool another name, or remove the scale set`;
  }
  const other = tags[POOL_TAG];
  return other === undefined || other === poolKey
    ? undefined
    : `a scale set of that name already belongs to the pool ${other}; give one of the pools another name`;
}
