import type { AzureMachineTemplate } from "@capstan/api";
import type { SizeCapabilities } from "@capstan/azure";

type Status = NonNullable<AzureMachineTemplate["status"]>;
type SizeStatus = Required<Pick<Status, "capacity" | "nodeInfo">>;

// Azure's names of processors, and those of Kubernetes.
const ARCHITECTURES: Readonly<Record<string, "amd64" | "arm64">> = { x64: "amd64", Arm64: "arm64" };

/** What a machine of a size has, which the autoscaler needs to scale from zero; undefined where Azure's list has no numbers. */
export function sizeStatus(size: SizeCapabilities, osType: string | undefined): SizeStatus | undefined {
  const cpu = Number(size.get("vCPUs"));
  const memoryGB = Number(size.get("MemoryGB"));
  if (!(cpu > 0) || !(memoryGB > 0)) return undefined;
  const memory = Number.isInteger(memoryGB) ? `${memoryGB}Gi` : `${Math.floor(memoryGB * 1024)}Mi`;
  const architecture = ARCHITECTURES[size.get("CpuArchitectureType") ?? ""];
  const operatingSystem = osType === "Windows" ? "windows" : "linux";
  return {
    capacity: { cpu: String(cpu), memory },
    nodeInfo: { operatingSystem, ...(architecture && { architecture }) },
  };
}
