import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { type JsonObject, objectAt, objectsAt, textAt, valueAt } from "../../json.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { exactName } from "../images/image.ts";
import { checkPlacement } from "../skus/placement.ts";
import { subnetOf } from "../virtual-networks/subnet-lookup.ts";
import type { Model } from "./scale-sets.ts";

/** The desired state in a PUT or PATCH of a scale set. */
export interface Desired {
  readonly location: string;
  readonly capacity: number;
  readonly model: Model;
  /** Subnets and backend pools that the instances are attached to. */
  readonly uses: readonly string[];
}

// A set with a single placement group may have a tenth of the instances.
const MAX_SINGLE_PLACEMENT = 100;

/** Parses and checks the body of a scale set. The errors are Compute's. */
export function desiredOf(world: AzureState, id: string, body: JsonObject): Desired {
  const location = regionOf(world, body, "virtualMachineScaleSets");
  const profile = objectAt(body, "properties", "virtualMachineProfile");
  if (textAt(body, "properties", "orchestrationMode")?.toLowerCase() === "flexible") {
    throw invalidParameter(
      "orchestrationMode",
      "The value 'Flexible' of parameter 'orchestrationMode' is not simulated; use 'Uniform'.",
    );
  }
  const size = sizeNamed(world, textAt(body, "sku", "name"), { field: "sku.name", location });
  checkPlacement(world, {
    type: "virtualMachineScaleSets",
    size,
    zones: zonesIn(body),
    isUltraDiskEnabled: isUltraDiskEnabled(objectAt(body, "properties")),
  });
  checkUpgradePolicy(body);
  const capacity = capacityOf(body, world.settings.instancesInSet);
  const reference = objectAt(profile, "storageProfile", "imageReference");
  const image = bootableImage(world, { reference, location, osProfile: profile["osProfile"] });
  const isSpot = textAt(profile, "priority") === "Spot";
  return { location, capacity, model: { size, isSpot, profile, image }, uses: usesOf(world, id, profile) };
}

/** The zones in the body of a machine or set. */
export function zonesIn(body: JsonObject): readonly string[] {
  const zones = valueAt(body, "zones");
  return Array.isArray(zones) ? zones.map(String) : [];
}

/** Whether the properties of a machine or set ask for ultra disks. */
export function isUltraDiskEnabled(properties: JsonObject): boolean {
  return valueAt(properties, "additionalCapabilities", "ultraSSDEnabled") === true;
}

/** The exact name of the image that a reference resolves to; throws Compute's refusal of an image that cannot take the profile. */
export function bootableImage(
  world: AzureState,
  asked: { readonly reference: JsonObject; readonly location: string; readonly osProfile: unknown },
): string {
  const image = world.images.resolve(asked.reference, asked.location);
  // A specialized image keeps the users and the name of its source.
  if (image.isSpecialized === true && asked.osProfile !== undefined)
    throw invalidParameter("osProfile", "Parameter 'osProfile' is not allowed.");
  return exactName(image);
}

/** The region in the body of a type of Compute; throws ARM's refusal when Compute is not there. */
export function regionOf(world: AzureState, body: JsonObject, type: string): string {
  const location = textAt(body, "location")?.replaceAll(" ", "").toLowerCase();
  if (location === undefined || location === "") {
    throw new ArmError(400, {
      code: "LocationRequired",
      message: "The location property is required for this definition.",
    });
  }
  const { regions } = world.settings;
  if (!regions.includes(location)) {
    throw new ArmError(400, {
      code: "LocationNotAvailableForResourceType",
      message: `The provided location '${location}' is not available for resource type 'Microsoft.Compute/${type}'. List of available regions for the resource type is '${regions.join(",")}'.`,
    });
  }
  return location;
}

/** The size of that name, as Compute spells it; throws Compute's refusal when the region does not have it. */
export function sizeNamed(
  world: AzureState,
  name: string | undefined,
  { field, location }: { readonly field: string; readonly location: string },
): string {
  if (name === undefined) {
    throw invalidParameter(field, `Required parameter '${field}' is missing (null).`);
  }
  const size = world.usage.size(name);
  if (!size) {
    throw invalidParameter(
      field,
      `The value ${name} provided for the VM size is not valid. The valid sizes in the current region are: ${world.settings.sizes.map((one) => one.name).join(",")}. Find out more on the valid VM sizes in each region at https://aka.ms/azure-regions.`,
    );
  }
  if (size.regions && !size.regions.includes(location)) {
    throw new ArmError(409, {
      code: "SkuNotAvailable",
      message: `The requested VM size for resource 'Following SKUs have failed for Capacity Restrictions: ${name}' is currently not available in location '${location}'. Please try another size or deploy to a different location or different zone. See https://aka.ms/azureskunotavailable for details.`,
    });
  }
  return size.name;
}

function capacityOf(body: JsonObject, most: number): number {
  const capacity = valueAt(body, "sku", "capacity");
  if (capacity === undefined) {
    throw invalidParameter("sku.capacity", "Required parameter 'sku.capacity' is missing (null).");
  }
  const isSingle = valueAt(body, "properties", "singlePlacementGroup") === true;
  const limit = isSingle ? MAX_SINGLE_PLACEMENT : most;
  const count = Number(capacity);
  if (!Number.isInteger(count) || count < 0 || count > limit) {
    throw invalidParameter(
      "sku.capacity",
      `The value ${JSON.stringify(capacity)} of parameter sku.capacity is invalid. The allowed range is from 0 to ${limit}.`,
    );
  }
  return count;
}

const UPGRADE_MODES = ["manual", "automatic", "rolling"];

function checkUpgradePolicy(body: JsonObject): void {
  const mode = textAt(body, "properties", "upgradePolicy", "mode");
  if (mode === undefined) {
    throw invalidParameter("upgradePolicy", "Required parameter 'upgradePolicy' is missing (null).");
  }
  if (!UPGRADE_MODES.includes(mode.toLowerCase())) {
    throw invalidParameter(
      "upgradePolicy.mode",
      `The value '${mode}' of parameter 'upgradePolicy.mode' is invalid; it is one of Manual, Automatic, Rolling.`,
    );
  }
}

/** Compute refuses a machine without an SSH key or a password: no user could log in. */
export function checkLogin(profile: JsonObject): void {
  const linux = objectAt(profile, "osProfile", "linuxConfiguration");
  if (linux["disablePasswordAuthentication"] !== true) return;
  const hasKey = objectsAt(linux, "ssh", "publicKeys").some((key) => (textAt(key, "keyData") ?? "") !== "");
  if (hasKey || valueAt(profile, "osProfile", "adminPassword") !== undefined) return;
  throw invalidParameter(
    "linuxConfiguration",
    "Authentication using either SSH or by user name and password must be enabled in Linux profile.",
  );
}

/** The network interfaces that each instance gets. */
export function interfacesOf(profile: JsonObject): readonly JsonObject[] {
  return objectsAt(profile, "networkProfile", "networkInterfaceConfigurations");
}

/** The subnet of the first address of an interface. */
export function subnetIdOf(configuration: JsonObject): string | undefined {
  const [first] = objectsAt(configuration, "properties", "ipConfigurations");
  return textAt(first, "properties", "subnet", "id");
}

function usesOf(world: AzureState, id: string, profile: JsonObject): readonly string[] {
  const interfaces = interfacesOf(profile);
  if (interfaces.length === 0) {
    throw invalidParameter(
      "networkProfile",
      "Required parameter 'networkProfile.networkInterfaceConfigurations' is missing (null).",
    );
  }
  const subnets = interfaces.map(subnetIdOf);
  for (const subnet of subnets) {
    if (subnet === undefined || !subnetOf(world, subnet)) throw invalidReference(subnet ?? "", id);
  }
  const pools = interfaces
    .flatMap((one) => objectsAt(one, "properties", "ipConfigurations"))
    .flatMap((one) => objectsAt(one, "properties", "loadBalancerBackendAddressPools"))
    .map((pool) => textAt(pool, "id") ?? "");
  const missing = pools.find((pool) => !world.resources.get(parentOf(pool)));
  if (missing !== undefined) throw invalidReference(missing, id);
  return [...new Set([...subnets, ...pools].filter((one) => one !== undefined))];
}

function parentOf(id: string): string {
  return id.split("/").slice(0, -2).join("/");
}

/** The error for a reference to a resource that does not exist. */
export function invalidReference(missing: string, id: string): ArmError {
  return new ArmError(400, {
    code: "InvalidResourceReference",
    message: `Resource ${missing} referenced by resource ${id} was not found. Please make sure that the referenced resource exists, and that both resources are in the same region.`,
    details: [],
  });
}
