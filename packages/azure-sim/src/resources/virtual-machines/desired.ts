import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { keyOf } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import type { Resource } from "../../core/resources.ts";
import { canonicalText, type JsonObject, objectAt, objectsAt, textAt, valueAt } from "../../json.ts";
import { checkPlacement } from "../skus/placement.ts";
import {
  bootableImage,
  checkLogin,
  invalidReference,
  isUltraDiskEnabled,
  regionOf,
  sizeNamed,
  zonesIn,
} from "../scale-sets/desired.ts";
import { attachedDiskOf } from "./attachments.ts";
import { nicInUse } from "../network-interfaces/network-interfaces.ts";

/** The type of virtual machines. */
export const VIRTUAL_MACHINES = "virtualMachines";

/** The desired state in a PUT or PATCH of a virtual machine. */
export interface DesiredMachine {
  readonly location: string;
  readonly size: string;
  readonly isSpot: boolean;
  /** The exact name of the image that the body resolved to. */
  readonly image: string;
  readonly zone: string | undefined;
}

/** Parses and checks the body of a virtual machine. The errors are Compute's. */
export function desiredMachine(world: AzureState, id: string, body: JsonObject): DesiredMachine {
  const location = regionOf(world, body, VIRTUAL_MACHINES);
  const properties = objectAt(body, "properties");
  const size = sizeNamed(world, textAt(properties, "hardwareProfile", "vmSize"), {
    field: "hardwareProfile.vmSize",
    location,
  });
  checkLogin(properties);
  const image = imageOf(world, id, { properties, location });
  checkInterfaces(world, id, { properties, location });
  const isSpot = textAt(properties, "priority") === "Spot";
  return { location, size, isSpot, image, zone: zoneOf(world, body, size) };
}

/** The image of the reference, or the one that an attached disk was made from. */
function imageOf(
  world: AzureState,
  id: string,
  { properties, location }: { readonly properties: JsonObject; readonly location: string },
): string {
  const { osProfile } = properties;
  const disk = attachedDiskOf(objectAt(properties, "storageProfile", "osDisk"));
  const reference = objectAt(properties, "storageProfile", "imageReference");
  if (disk === undefined) return bootableImage(world, { reference, location, osProfile });
  // The users and the name of the machine are on the disk already.
  if (osProfile !== undefined) throw invalidParameter("osProfile", "Parameter 'osProfile' is not allowed.");
  checkAttachable(world, id, { disk, location });
  const image = world.virtualMachines.get(id)?.image ?? world.disks.imageOf(keyOf(disk));
  if (image !== undefined) return image;
  throw invalidParameter(
    "osDisk.managedDisk.id",
    `A machine from the disk '${disk}' is not simulated: only disks that are copies of snapshots have contents.`,
  );
}

/** Refuses a disk that does not exist, that is not complete, or that another machine has. */
function checkAttachable(
  world: AzureState,
  id: string,
  { disk, location }: { readonly disk: string; readonly location: string },
): void {
  const resource = world.resources.get(disk);
  if (!resource || resource.location !== location) throw invalidReference(disk, id);
  const owner = textAt(resource.body, "managedBy") ?? id;
  if (resource.state === "Succeeded" && keyOf(owner) === keyOf(id)) return;
  const why = keyOf(owner) === keyOf(id) ? resource.state : `attached to ${owner}`;
  throw new ArmError(409, {
    code: "AttachDiskWhileBeingDetached",
    message: `Disk ${resource.name} cannot be attached to VM ${id}: it is ${why}.`,
  });
}

function zoneOf(world: AzureState, body: JsonObject, size: string): string | undefined {
  const zones = zonesIn(body);
  const [zone] = zones;
  const isUltra = isUltraDiskEnabled(objectAt(body, "properties"));
  checkPlacement(world, { type: VIRTUAL_MACHINES, size, zones, isUltraDiskEnabled: isUltra });
  if (zones.length <= 1) return zone;
  throw invalidParameter("zones", "A virtual machine is in one zone at most.");
}

/** The ids of the network interfaces in the body of a machine. */
export function interfaceIdsOf(body: JsonObject): readonly string[] {
  return objectsAt(body, "properties", "networkProfile", "networkInterfaces").map(
    (one) => textAt(one, "id") ?? "",
  );
}

function checkInterfaces(
  world: AzureState,
  id: string,
  { properties, location }: { readonly properties: JsonObject; readonly location: string },
): void {
  const ids = interfaceIdsOf({ properties });
  if (ids.length === 0) {
    throw invalidParameter(
      "networkProfile",
      "Required parameter 'networkProfile.networkInterfaces' is missing (null).",
    );
  }
  for (const one of ids) {
    const nic = world.resources.get(one);
    if (!nic || nic.location !== location || nic.state === "Deleting") throw invalidReference(one, id);
    const owner = textAt(nic.body, "properties", "virtualMachine", "id");
    if (owner !== undefined && keyOf(owner) !== keyOf(id)) throw nicInUse(nic, owner);
    if (nic.state !== "Succeeded") throw notProvisioned(nic, id);
  }
}

function notProvisioned(nic: Resource, id: string): ArmError {
  const detail = {
    code: "ReferencedResourceNotProvisioned",
    message: `Cannot proceed with operation because resource ${nic.id} used by resource ${id} is not in Succeeded state. Resource is in ${nic.state} state and the last operation that updated/is updating the resource is PutNicOperation.`,
  };
  return new ArmError(429, {
    code: "RetryableError",
    message: "A retryable error occurred.",
    details: [detail],
  });
}

// What Compute does not change on an existing machine.
const FIXED: readonly (readonly string[])[] = [
  ["zones"],
  ["properties", "osProfile", "computerName"],
  ["properties", "osProfile", "adminUsername"],
  ["properties", "osProfile", "customData"],
  ["properties", "osProfile", "linuxConfiguration"],
  ["properties", "storageProfile", "imageReference"],
  ["properties", "storageProfile", "osDisk", "name"],
  ["properties", "networkProfile"],
  ["properties", "priority"],
];

/** Refuses a change that needs another machine. A field that the request leaves out stays as it is. */
export function checkUnchanged(before: JsonObject, given: JsonObject): void {
  for (const path of FIXED) {
    const wanted = valueAt(given, ...path);
    if (wanted === undefined || canonicalText(wanted) === canonicalText(valueAt(before, ...path))) continue;
    const target = path.filter((field) => field !== "properties").join(".");
    throw new ArmError(409, {
      code: "PropertyChangeNotAllowed",
      message: `Changing property '${target}' is not allowed.`,
      target,
    });
  }
}
