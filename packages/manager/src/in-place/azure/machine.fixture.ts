import { AzureError, type OfferedSize, type Region, type VirtualMachine } from "@capstan/azure";

/** A running machine of Standard_D2s_v3. */
export function machine(change: Partial<VirtualMachine> = {}): VirtualMachine {
  return {
    id: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm",
    name: "vm",
    location: "westeurope",
    size: "Standard_D2s_v3",
    tags: { team: "blue" },
    provisioningState: "Succeeded",
    powerState: "running",
    zones: [],
    isSpot: false,
    usesUltraDisks: false,
    hasEphemeralDisk: false,
    diskController: "SCSI",
    generation: "V2",
    ...change,
  };
}

/** The error in the state of a machine. */
export function machineError(code: string, meaning: AzureError["class"]): AzureError {
  return new AzureError({ class: meaning, code, message: "the words of Azure" });
}

function offered(quotaName: string, capabilities: Readonly<Record<string, string>>): OfferedSize {
  const usual = { vCPUs: "2", MemoryGB: "8", MaxResourceVolumeMB: "16384" };
  return {
    capabilities: new Map(Object.entries({ ...usual, ...capabilities })),
    zones: ["1", "2"],
    ultraDiskZones: [],
    quotaName,
  };
}

/** The sizes of a region, each with one thing that another one lacks. */
export const REGION: Region = {
  zones: ["1", "2", "3"],
  sizes: new Map(
    Object.entries({
      Standard_D2s_v3: offered("Dsv3", {}),
      Standard_D8s_v3: offered("Dsv3", { vCPUs: "8" }),
      Standard_D4ds_v5: offered("DDSv5", { vCPUs: "4" }),
      NoTempDisk: offered("other", { MaxResourceVolumeMB: "0" }),
      OnlyNvme: offered("other", { DiskControllerTypes: "NVMe" }),
      BothControllers: offered("other", { DiskControllerTypes: "SCSI, NVMe" }),
      Arm: offered("other", { CpuArchitectureType: "Arm64" }),
      FirstGeneration: offered("other", { HyperVGenerations: "V1" }),
      SecondGeneration: offered("other", { HyperVGenerations: "V2" }),
      TooSmall: offered("other", { vCPUs: "1" }),
      Restricted: { ...offered("other", {}), isRestricted: true },
    }).map(([name, size]) => [name.toLowerCase(), size]),
  ),
};
