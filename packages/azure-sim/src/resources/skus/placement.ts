import { ArmError, invalidParameter } from "../../arm/errors.ts";
import type { AzureState } from "../../core/azure-state.ts";

/** Virtual machines that Compute places. */
interface Placement {
  /** The type of the resource, and its name in the words of Compute. */
  readonly type: "virtualMachines" | "virtualMachineScaleSets";
  readonly size: string;
  readonly zones: readonly string[];
  readonly isUltraDiskEnabled: boolean;
}

const NAMES = {
  virtualMachines: "Virtual Machine",
  virtualMachineScaleSets: "Virtual Machine Scale Sets",
} as const;

/** Throws Compute's refusal of zones that the size does not have, and of ultra disks that it cannot take there. */
export function checkPlacement(
  world: AzureState,
  { type, size, zones, isUltraDiskEnabled }: Placement,
): void {
  const { zones: offered = [], ultraDiskZones = [], architecture = "x64" } = world.usage.size(size) ?? {};
  // All images of the simulation are for x64.
  if (architecture !== "x64") throw architectureRefused(size, architecture, "x64");
  if (zones.some((zone) => !offered.includes(zone)))
    throw new ArmError(400, {
      code: "InvalidAvailabilityZone",
      message: zonesRefused(zones, `Microsoft.Compute/${type}`, offered),
      target: "zones",
    });
  if (!isUltraDiskEnabled) return;
  const target = "additionalCapabilities.ultraSSDEnabled";
  if (zones.length === 0)
    throw invalidParameter(target, `UltraSSD can be used only with ${NAMES[type]} in an Availability Zone.`);
  if (zones.some((zone) => !ultraDiskZones.includes(zone)))
    throw invalidParameter(
      target,
      `UltraSSD is not available for VM size '${size}' in the zone(s) '${zones.join(",")}'.`,
    );
}

/** Compute's refusal of a size that cannot run an image. */
export function architectureRefused(size: string, ofSize: string, ofImage: string): ArmError {
  return invalidParameter(
    "vmSize",
    `Cannot create a VM of size '${size}' because this VM size only supports a CPU Architecture of '${ofSize}', but an image or disk with CPU Architecture '${ofImage}' was given. Please check that the CPU Architecture of the image or disk is compatible with that of the VM size.`,
  );
}

/** Azure's sentence about zones that a size does not have. */
export function zonesRefused(zones: readonly string[], what: string, offered: readonly string[]): string {
  return `The zone(s) '${zones.join(",")}' for resource '${what}' is not supported. The supported zones for the size are '${offered.join(",")}'`;
}
