/** A size of virtual machine. */
export interface VmSize {
  readonly name: string;
  /** The family that quotas count, such as standardDSv3Family. */
  readonly family: string;
  readonly cores: number;
  readonly memoryGB: number;
  readonly zones?: readonly string[];
  /** The regions that offer it; all unless given. */
  readonly regions?: readonly string[];
}

const ALL_ZONES = ["1", "2", "3"];

function size(name: string, family: string, [cores, memoryGB]: readonly [number, number]): VmSize {
  return { name, family, cores, memoryGB, zones: ALL_ZONES };
}

/** The default sizes: those in the examples of Cluster API. */
export const DEFAULT_SIZES: readonly VmSize[] = [
  size("Standard_B2s", "standardBSFamily", [2, 4]),
  size("Standard_B2s_v2", "standardBsv2Family", [2, 8]),
  size("Standard_D2s_v3", "standardDSv3Family", [2, 8]),
  size("Standard_D4s_v3", "standardDSv3Family", [4, 16]),
  size("Standard_D8s_v3", "standardDSv3Family", [8, 32]),
  size("Standard_D2s_v5", "standardDSv5Family", [2, 8]),
  size("Standard_D4s_v5", "standardDSv5Family", [4, 16]),
  size("Standard_E4s_v5", "standardESv5Family", [4, 32]),
  size("Standard_F8s_v2", "standardFSv2Family", [8, 16]),
  size("Standard_NC6s_v3", "standardNCSv3Family", [6, 112]),
];
