import type { Frozen, KubeadmConfig } from "@capstan/api";
import type { YamlValue } from "./yaml-text.ts";

type DiskSetup = NonNullable<Frozen<KubeadmConfig>["spec"]["diskSetup"]>;
type Partition = NonNullable<DiskSetup["partitions"]>[number];
type Filesystem = NonNullable<DiskSetup["filesystems"]>[number];

// The codes of the partition types that have a name. cloud-init expects a number where one can be written, and appends
// zeros for the tables that have longer codes; so 07 must not become 7.
const TYPE_CODES: ReadonlyMap<string, string | number> = new Map<string, string | number>([
  ["Linux", 83],
  ["LinuxSwap", 82],
  ["LinuxRAID", "fd"],
  ["LVM", "8e"],
  ["Fat32", "0c"],
  ["NTFS", "07"],
  ["LinuxExtended", 85],
]);

/** The partitions, by device. */
export function diskSetup({ partitions = [] }: DiskSetup): YamlValue | undefined {
  if (partitions.length === 0) return undefined;
  return Object.fromEntries(partitions.map((partition) => [partition.device, partitionOf(partition)]));
}

/** The file systems to create. */
export function filesystemSetup({ filesystems = [] }: DiskSetup): YamlValue | undefined {
  return filesystems.length === 0 ? undefined : filesystems.map(filesystemOf);
}

function partitionOf({ tableType, layout, diskLayout, overwrite }: Partition): YamlValue {
  return {
    table_type: tableType,
    layout: diskLayout
      ? diskLayout.map(({ percentage, partitionType }) =>
          partitionType === undefined
            ? percentage
            : [percentage, TYPE_CODES.get(partitionType) ?? partitionType],
        )
      : layout,
    overwrite,
  };
}

function filesystemOf(given: Filesystem): YamlValue {
  const { label, filesystem, device, partition, overwrite, replaceFS, extraOpts } = given;
  return {
    label,
    filesystem,
    device,
    partition,
    overwrite,
    replace_fs: replaceFS,
    extra_opts: extraOpts,
  };
}
