import { ArmError, invalidParameter } from "../../arm/errors.ts";
import { reply } from "../../arm/answer.ts";
import { keyOf } from "../../arm/target.ts";
import type { AzureState } from "../../core/azure-state.ts";
import { type JsonObject, textAt } from "../../json.ts";
import type { Verb } from "../resource-type.ts";
import { architectureRefused } from "../skus/placement.ts";
import { hardwareOf, type VmSize } from "../skus/vm-size.ts";
import { generationOf } from "./generation.ts";
import { foundMachine } from "./reads.ts";
import type { VirtualMachine } from "./virtual-machines.ts";

/** GET vmSizes: the sizes that the machine can take where it is. */
export const listSizes: Verb = (call, world) => {
  const { machine, resource } = foundMachine(call, world);
  const hardware = boundHardware(world, machine, resource.body);
  const sizes = world.settings.sizes.filter(
    (size) =>
      (size.regions === undefined || size.regions.includes(machine.location)) &&
      (hardware === undefined || hardwareOf(size) === hardware),
  );
  return reply(200, { value: sizes.map(sizeBody) });
};

function sizeBody({ name, cores, memoryGB, tempDiskGB = 0 }: VmSize): JsonObject {
  return {
    name,
    numberOfCores: cores,
    osDiskSizeInMB: 1_047_552,
    resourceDiskSizeInMB: tempDiskGB * 1024,
    memoryInMB: memoryGB * 1024,
    maxDataDiskCount: cores * 2,
  };
}

/** The hardware that a machine cannot leave: its own while it is allocated, or that of its availability set. */
function boundHardware(world: AzureState, machine: VirtualMachine, body: JsonObject): string | undefined {
  const placed = machine.isUnplaced === true ? neighbour(world, machine, body) : machine;
  const size = placed && world.usage.size(placed.size);
  return size && hardwareOf(size);
}

/** Another machine of the same availability set that is allocated. */
function neighbour(world: AzureState, machine: VirtualMachine, body: JsonObject): VirtualMachine | undefined {
  const set = availabilitySetOf(body);
  if (set === undefined) return undefined;
  for (const [, other] of world.virtualMachines.table.entries()) {
    const isOther = other !== machine && other.isUnplaced !== true;
    if (isOther && availabilitySetOf(world.resources.get(other.id)?.body) === set) return other;
  }
  return undefined;
}

function availabilitySetOf(body: JsonObject | undefined): string | undefined {
  const id = textAt(body, "properties", "availabilitySet", "id");
  return id === undefined ? undefined : keyOf(id);
}

/** Throws Compute's refusal of another size. */
export function checkResize(
  world: AzureState,
  machine: VirtualMachine,
  { body, size: name }: { readonly body: JsonObject; readonly size: string },
): void {
  const size = world.usage.size(name);
  const before = world.usage.size(machine.size);
  if (!size || !before) return;
  checkImage(size, before, body);
  if ((size.tempDiskGB ?? 0) > 0 !== (before.tempDiskGB ?? 0) > 0)
    throw notAllowed(
      "Unable to resize the VM since changing from resource disk to non-resource disk VM size and vice-versa is not allowed. Please refer to https://aka.ms/AAah4sj for more details.",
    );
  const hardware = boundHardware(world, machine, body);
  if (hardware === undefined || hardwareOf(size) === hardware) return;
  const offered = world.settings.sizes.filter((one) => hardwareOf(one) === hardware);
  throw notAllowed(
    `Unable to resize the VM '${machine.id.split("/").at(-1)}' because the requested size ${size.name} is not available in the current hardware cluster. The available sizes in this cluster are: ${offered.map((one) => one.name).join(",")}. Find out more on VM re-sizing at https://aka.ms/azure-resizevm.`,
  );
}

/** A size must boot what is on the disk of the machine. */
function checkImage(size: VmSize, before: VmSize, body: JsonObject): void {
  const [to = "x64", from = "x64"] = [size.architecture, before.architecture];
  if (to !== from) throw architectureRefused(size.name, to, from);
  const generation = generationOf(body);
  if (!(size.generations ?? ["V1", "V2"]).includes(generation))
    throw new ArmError(400, {
      code: "BadRequest",
      message: `The selected VM size '${size.name}' cannot boot Hypervisor Generation '${generation.slice(1)}'. If this was a Create operation please check that the Hypervisor Generation of the Image matches the Hypervisor Generation of the selected VM Size. If this was an Update operation please select a Hypervisor Generation '${generation.slice(1)}' VM Size.`,
    });
  const controller = textAt(body, "properties", "storageProfile", "diskControllerType") ?? "SCSI";
  if (!(size.diskControllers ?? ["SCSI"]).some((one) => one === controller))
    throw invalidParameter(
      "vmSize",
      `The VM size '${size.name}' cannot boot with OS image or disk. Please check that disk controller types supported by the OS image or disk is one of the supported disk controller types for the VM size '${size.name}'.`,
    );
}

/** Whether a running machine finds room for another size; a deallocated one needs it when it starts. */
export function hasRoomFor(world: AzureState, machine: VirtualMachine, size: string): boolean {
  if (machine.isUnplaced === true) return true;
  const { subscription, location, isSpot } = machine;
  return world.usage.room({ subscription, location, isSpot, size, instances: 1 }) > 0;
}

function notAllowed(message: string): ArmError {
  return new ArmError(409, { code: "OperationNotAllowed", message });
}
