import { isJsonObject, type JsonObject } from "@capstan/api";
import type { AzureScope } from "../gallery/azure-reads.ts";
import { objectIn } from "../gallery/azure-reads.ts";
import { snapshotTags } from "../gallery/prototype-tags.ts";
import { UNUSED_SSH_KEY } from "../../../virtual-machine/unused-ssh-key.ts";
import { loginBy } from "../../../virtual-machine/profile.ts";

/** The label of the Node of a canary, and the key of its taint; the value is the name of the renewal. */
export const CANARY = "capstan.dev/prototype-canary";

// What Azure answers, and what it does not accept back.
const READ_ONLY = ["timeCreated", "requireGuestProvisionSignal"];
// A canary that is evicted would say nothing about its image.
const OF_SPOT = ["priority", "evictionPolicy", "billingProfile"];

interface Canary {
  /** The bootstrap data in base64. */
  readonly customData: string;
  readonly computerPrefix: string;
  /** The ARM id of the image version. */
  readonly imageID: string;
}

/** The body of a scale set of one machine: like that of the pool, but with the version that is not the latest yet. */
export function canaryBody(scope: AzureScope, model: JsonObject, canary: Canary): JsonObject {
  const { identity, plan, zones, sku } = model;
  const profile = objectIn(model, "properties", "virtualMachineProfile");
  const { clusterName } = scope.azure.plan;
  return {
    location: scope.azure.location,
    // The cloud provider in the workload cluster finds its machines by the first tag.
    tags: { [`kubernetes.io_cluster_${clusterName}`]: "owned", ...snapshotTags(scope) },
    sku: { ...(isJsonObject(sku) && sku), capacity: 1 },
    ...(plan !== undefined && { plan }),
    ...(Array.isArray(zones) && { zones }),
    ...(isJsonObject(identity) && { identity: assignable(identity) }),
    properties: {
      orchestrationMode: "Uniform",
      upgradePolicy: { mode: "Manual" },
      overprovision: false,
      singlePlacementGroup: false,
      virtualMachineProfile: profileOf(profile, canary),
    },
  };
}

function profileOf(profile: JsonObject, { customData, computerPrefix, imageID }: Canary): JsonObject {
  const { osProfile, storageProfile, ...rest } = without(profile, [...READ_ONLY, ...OF_SPOT]);
  const { linuxConfiguration, ...names } = isJsonObject(osProfile) ? osProfile : {};
  return {
    ...rest,
    osProfile: {
      ...names,
      linuxConfiguration: {
        ...loginBy(UNUSED_SSH_KEY),
        ...(isJsonObject(linuxConfiguration) && linuxConfiguration),
      },
      computerNamePrefix: computerPrefix,
      customData,
    },
    storageProfile: {
      ...(isJsonObject(storageProfile) && storageProfile),
      imageReference: { id: imageID },
    },
  };
}

/** The identities without the ids that Azure has added. */
function assignable({ type, userAssignedIdentities }: JsonObject): JsonObject {
  if (!isJsonObject(userAssignedIdentities)) return { type };
  const ids = Object.keys(userAssignedIdentities).map((id) => [id, {}] as const);
  return { type, userAssignedIdentities: Object.fromEntries(ids) };
}

function without(value: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([field]) => !fields.includes(field)));
}
