import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, integer, listOf, object, oneOf, optional, string } from "../schema/schema.ts";
import {
  type FieldError,
  duplicate,
  errorIf,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../values/field-error.ts";

/** How the host caches a disk. */
const CACHING_TYPES = ["None", "ReadOnly", "ReadWrite"] as const;

// The storageAccountType values of managed disks in Azure.
const STORAGE_ACCOUNT_TYPES = [
  "Premium_LRS",
  "Premium_ZRS",
  "PremiumV2_LRS",
  "Standard_LRS",
  "StandardSSD_LRS",
  "StandardSSD_ZRS",
  "UltraSSD_LRS",
];
const ULTRA = "UltraSSD_LRS";

const DiskEncryptionSet = object("Customer-managed keys for the disk.", {
  id: optional(string("The ARM id of the disk encryption set.")),
});

const ManagedDisk = object("The managed disk behind it.", {
  storageAccountType: optional(string("The kind of storage, such as Premium_LRS.")),
  diskEncryptionSet: optional(DiskEncryptionSet),
  securityProfile: optional(
    object("Encryption of the disk of a confidential VM.", {
      securityEncryptionType: optional(
        oneOf("What is encrypted.", ["VMGuestStateOnly", "DiskWithVMGuestState"]),
      ),
      diskEncryptionSet: optional(DiskEncryptionSet),
    }),
  ),
});

/** The disk a machine boots from. */
export const OSDisk = object("The disk the machine boots from.", {
  osType: string("The operating system. Only Linux is supported.", { default: "Linux" }),
  diskSizeGB: optional(integer("The size in GB, 1 to 2048. Without it, the size of the image.")),
  managedDisk: optional(ManagedDisk),
  cachingType: optional(oneOf("How the host caches the disk.", CACHING_TYPES, { default: "None" })),
  diffDiskSettings: optional(
    object("Places the disk on the host: fast, and lost when the machine is stopped or re-imaged.", {
      option: oneOf("The location of the disk.", ["Local"]),
      placement: optional(oneOf("Which local disk is used.", ["CacheDisk", "NvmeDisk", "ResourceDisk"])),
    }),
  ),
});

/** The disk a machine boots from. */
export type OSDisk = Static<typeof OSDisk>;

/** The disks a machine has beside the one it boots from. */
export const DataDisks = listOf(
  "Further disks of the machine.",
  object("A further disk.", {
    nameSuffix: string("The suffix of the disk's name; unique on the machine."),
    diskSizeGB: integer("The size in GB, 4 to 32767."),
    managedDisk: optional(ManagedDisk),
    lun: optional(integer("The slot, 0 to 63; unique on the machine.")),
    cachingType: optional(oneOf("How the host caches the disk.", CACHING_TYPES)),
  }),
);

/** The disks a machine has beside the one it boots from. */
export type DataDisks = Static<typeof DataDisks>;

/** Gives data disks a free slot and a caching type where none is set. */
export function defaultDataDisks(disks: DataDisks): void {
  const taken = new Set(disks.map((disk) => disk.lun));
  // Slots are searched upwards once for all disks: an object may list more than any machine has.
  let slot = 0;
  for (const disk of disks) {
    if (disk.lun === undefined) {
      while (taken.has(slot)) slot++;
      disk.lun = slot++;
    }
    disk.cachingType ??= disk.managedDisk?.storageAccountType === ULTRA ? "None" : "ReadWrite";
  }
}

/** Validates the disk a machine boots from. */
export function osDiskErrors(path: string, disk: Frozen<OSDisk>): readonly FieldError[] {
  const { diskSizeGB, diffDiskSettings, managedDisk } = disk;
  return [
    ...osTypeErrors(`${path}.osType`, disk.osType),
    ...errorIf(
      diskSizeGB !== undefined && (diskSizeGB < 1 || diskSizeGB > 2048),
      invalid(`${path}.diskSizeGB`, diskSizeGB, "must be between 1 and 2048"),
    ),
    ...managedDiskErrors(`${path}.managedDisk`, managedDisk),
    ...errorIf(
      managedDisk?.storageAccountType === ULTRA,
      invalid(`${path}.managedDisk.storageAccountType`, ULTRA, "is for data disks only"),
    ),
    ...osDiskEncryptionErrors(`${path}.managedDisk`, managedDisk),
    ...errorIf(
      diffDiskSettings !== undefined && managedDisk?.diskEncryptionSet !== undefined,
      forbidden(
        `${path}.managedDisk.diskEncryptionSet`,
        "an ephemeral disk (diffDiskSettings) cannot have one",
      ),
    ),
  ];
}

/** Validates the further disks of a machine. */
export function dataDisksErrors(path: string, disks: Frozen<DataDisks>): readonly FieldError[] {
  const names = new Set<string>();
  const luns = new Set<number>();
  return disks.flatMap((disk, index) => {
    const at = `${path}[${index}]`;
    const errors = [
      ...dataDiskErrors(at, disk),
      ...errorIf(names.has(disk.nameSuffix), duplicate(`${at}.nameSuffix`, disk.nameSuffix)),
      ...errorIf(disk.lun !== undefined && luns.has(disk.lun), duplicate(`${at}.lun`, disk.lun)),
    ];
    names.add(disk.nameSuffix);
    if (disk.lun !== undefined) {
      luns.add(disk.lun);
    }
    return errors;
  });
}

function osTypeErrors(path: string, osType: string): readonly FieldError[] {
  if (osType === "Linux") {
    return [];
  }
  return osType === "Windows"
    ? [invalid(path, osType, "Windows nodes are not supported yet; use Linux")]
    : [notSupported(path, osType, ["Linux"])];
}

function dataDiskErrors(at: string, disk: Frozen<DataDisks>[number]): readonly FieldError[] {
  const { lun, diskSizeGB, managedDisk, cachingType, nameSuffix } = disk;
  return [
    ...errorIf(nameSuffix === "", required(`${at}.nameSuffix`, "the disk needs a name")),
    ...errorIf(
      diskSizeGB < 4 || diskSizeGB > 32767,
      invalid(`${at}.diskSizeGB`, diskSizeGB, "must be between 4 and 32767"),
    ),
    ...errorIf(
      lun !== undefined && (lun < 0 || lun > 63),
      invalid(`${at}.lun`, lun, "must be between 0 and 63"),
    ),
    ...managedDiskErrors(`${at}.managedDisk`, managedDisk),
    ...errorIf(
      managedDisk?.storageAccountType === ULTRA && (cachingType ?? "None") !== "None",
      invalid(`${at}.cachingType`, cachingType, `must be None when storageAccountType is ${ULTRA}`),
    ),
  ];
}

function managedDiskErrors(
  path: string,
  disk: Frozen<Static<typeof ManagedDisk>> | undefined,
): readonly FieldError[] {
  if (disk === undefined) {
    return [];
  }
  const type = disk.storageAccountType;
  if (type === undefined || type === "") {
    return [required(`${path}.storageAccountType`, `one of ${STORAGE_ACCOUNT_TYPES.join(", ")}`)];
  }
  return STORAGE_ACCOUNT_TYPES.includes(type)
    ? []
    : [notSupported(`${path}.storageAccountType`, type, STORAGE_ACCOUNT_TYPES)];
}

function osDiskEncryptionErrors(
  path: string,
  disk: Frozen<Static<typeof ManagedDisk>> | undefined,
): readonly FieldError[] {
  const profile = disk?.securityProfile;
  const wrong =
    profile?.diskEncryptionSet !== undefined && profile.securityEncryptionType !== "DiskWithVMGuestState";
  return wrong
    ? [
        forbidden(
          `${path}.securityProfile.diskEncryptionSet`,
          "needs securityEncryptionType DiskWithVMGuestState",
        ),
      ]
    : [];
}
