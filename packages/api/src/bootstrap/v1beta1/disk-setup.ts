import { boolean, integer, listOf, object, oneOf, optional, string } from "../../schema/schema.ts";
import { path, texts, word } from "./fields.ts";

const PARTITION_TYPES = ["Linux", "LinuxSwap", "LinuxRAID", "LVM", "Fat32", "NTFS", "LinuxExtended"];
const GUID = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";

/** How a disk is partitioned. */
export const Partition = object("How a disk is partitioned.", {
  device: word("The disk."),
  layout: boolean("Whether to create one partition on the whole disk; false leaves it unchanged."),
  overwrite: optional(boolean("Whether to do so although there are partitions already. Loses data.")),
  tableType: optional(oneOf("The kind of partition table; default: mbr.", ["mbr", "gpt"])),
  diskLayout: optional(
    listOf(
      "The partitions, if there is more than one.",
      object("A partition.", {
        percentage: integer("Its share of the disk, in percent.", { minimum: 1, maximum: 100 }),
        partitionType: optional(
          string("Its type, by name or as GUID; default: Linux.", {
            minLength: 1,
            maxLength: 36,
            rules: [
              {
                rule: `self.matches('^(${PARTITION_TYPES.join("|")}|${GUID})$')`,
                message: `partitionType must be one of ${PARTITION_TYPES.join(", ")} or a full GPT partition GUID`,
              },
            ],
          }),
        ),
      }),
      { minItems: 1, maxItems: 100 },
    ),
  ),
});

const Filesystem = object("A file system to create.", {
  device: word("The disk."),
  filesystem: string("The type of the file system.", { minLength: 1, maxLength: 128 }),
  label: optional(path("Its label.")),
  partition: optional(
    string("The partition: auto, any, none or a number.", { minLength: 1, maxLength: 128 }),
  ),
  overwrite: optional(boolean("Whether to overwrite an existing file system. Loses data.")),
  replaceFS: optional(string("Replace only a file system of this type.", { minLength: 1, maxLength: 128 })),
  extraOpts: optional(texts("Further options.", { maxLength: 256, maxItems: 100 })),
});

/** How the disks of a machine are partitioned and formatted at its first boot. */
export const DiskSetup = object("How the disks are partitioned and formatted at the first boot.", {
  partitions: optional(listOf("How disks are partitioned.", Partition, { maxItems: 100 })),
  filesystems: optional(listOf("The file systems to create.", Filesystem, { maxItems: 100 })),
});
