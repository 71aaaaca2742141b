/** A size of virtual machine. */
export interface VmSize {
  readonly name: string;
  /** The family that quotas count, such as standardDSv3Family. */
  readonly family: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly zones?: readonly string[];
  /** Those of the zones in which it takes ultra disks. */
  readonly ultraDiskZones?: readonly string[];
  /** The regions that offer it; all unless given. */
  readonly regions?: readonly string[];
  /** The temporary disk; none unless given. */
  readonly tempDiskGB?: number;
  /** How it attaches disks; SCSI alone unless given. */
  readonly diskControllers?: readonly ("SCSI" | "NVMe")[];
  /** x64 unless given. */
  readonly architecture?: "x64" | "Arm64";
  /** The hypervisor generations that it boots; both unless given. */
  readonly generations?: readonly ("V1" | "V2")[];
  /** The hardware that runs it, where a running machine can take sizes of the same one; its family unless given. */
  readonly hardware?: string;
}

const ALL_ZONES = ["1", "2", "3"];

type Amounts = readonly [cores: number, memoryGB: number, tempDiskGB?: number];

function size(name: string, family: string, [cores, memoryGB, tempDiskGB = 0]: Amounts): VmSize {
  return { name, family, cores, memoryGB, tempDiskGB, zones: ALL_ZONES, ultraDiskZones: ALL_ZONES };
}

function withoutUltraDisks(...parts: Parameters<typeof size>): VmSize {
  return { ...size(...parts), ultraDiskZones: [] };
}

/** The hardware that runs a size. */
export function hardwareOf({ hardware, family }: VmSize): string {
  return hardware ?? family;
}

/** The default sizes: those in the examples of Cluster API, and in Azure's own samples. */
export const DEFAULT_SIZES: readonly VmSize[] = [
  withoutUltraDisks("Standard_A2_v2", "standardAv2Family", [2, 4, 20]),
  withoutUltraDisks("Standard_B1s", "standardBSFamily", [1, 1, 4]),
  withoutUltraDisks("Standard_B1ms", "standardBSFamily", [1, 2, 4]),
  withoutUltraDisks("Standard_B2s", "standardBSFamily", [2, 4, 8]),
  withoutUltraDisks("Standard_B2ms", "standardBSFamily", [2, 8, 16]),
  withoutUltraDisks("Standard_B2s_v2", "standardBsv2Family", [2, 8]),
  withoutUltraDisks("Standard_DS1_v2", "standardDSv2Family", [1, 3.5, 7]),
  withoutUltraDisks("Standard_DS2_v2", "standardDSv2Family", [2, 7, 14]),
  withoutUltraDisks("Standard_DS3_v2", "standardDSv2Family", [4, 14, 28]),
  size("Standard_D2s_v3", "standardDSv3Family", [2, 8, 16]),
  size("Standard_D4s_v3", "standardDSv3Family", [4, 16, 32]),
  size("Standard_D8s_v3", "standardDSv3Family", [8, 32, 64]),
  size("Standard_D2s_v5", "standardDSv5Family", [2, 8]),
  size("Standard_D4s_v5", "standardDSv5Family", [4, 16]),
  size("Standard_D8s_v5", "standardDSv5Family", [8, 32]),
  size("Standard_D2ds_v5", "standardDDSv5Family", [2, 8, 75]),
  size("Standard_D4ds_v5", "standardDDSv5Family", [4, 16, 150]),
  size("Standard_E4s_v5", "standardESv5Family", [4, 32]),
  size("Standard_F8s_v2", "standardFSv2Family", [8, 16, 64]),
  {
    ...size("Standard_D2ps_v5", "standardDPSv5Family", [2, 8]),
    architecture: "Arm64",
    generations: ["V2"],
  },
  {
    ...size("Standard_D2s_v6", "standardDSv6Family", [2, 8]),
    diskControllers: ["NVMe"],
    generations: ["V2"],
  },
  size("Standard_NC6s_v3", "standardNCSv3Family", [6, 112, 736]),
];
