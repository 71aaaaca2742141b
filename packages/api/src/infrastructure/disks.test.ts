import { describe, expect, test, vi } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type DataDisks, type OSDisk, defaultDataDisks, dataDisksErrors, osDiskErrors } from "./disks.ts";

const linux: OSDisk = { osType: "Linux" };
const premium = { storageAccountType: "Premium_LRS" };

describe("validateOSDisk", () => {
  test.each<[string, OSDisk]>([
    ["the smallest disk", linux],
    ["the template's disk", { ...linux, diskSizeGB: 30, managedDisk: premium, cachingType: "None" }],
    ["an ephemeral disk", { ...linux, diffDiskSettings: { option: "Local", placement: "NvmeDisk" } }],
    ["the largest disk", { ...linux, diskSizeGB: 2048 }],
  ])("accepts %s", (_, disk) => {
    expect(osDiskErrors("osDisk", disk)).toEqual([]);
  });

  test.each<[OSDisk, string]>([
    [
      { osType: "Windows" },
      'osDisk.osType: Invalid value: "Windows": Windows nodes are not supported yet; use Linux',
    ],
    [{ osType: "BSD" }, 'osDisk.osType: Unsupported value: "BSD": supported values: "Linux"'],
    [{ ...linux, diskSizeGB: 0 }, "osDisk.diskSizeGB: Invalid value: 0: must be between 1 and 2048"],
    [{ ...linux, diskSizeGB: 2049 }, "osDisk.diskSizeGB: Invalid value: 2049: must be between 1 and 2048"],
    [
      { ...linux, managedDisk: {} },
      "osDisk.managedDisk.storageAccountType: Required value: one of Premium_LRS, Premium_ZRS, PremiumV2_LRS, Standard_LRS, StandardSSD_LRS, StandardSSD_ZRS, UltraSSD_LRS",
    ],
    [
      { ...linux, managedDisk: { storageAccountType: "Floppy" } },
      'osDisk.managedDisk.storageAccountType: Unsupported value: "Floppy": supported values: "Premium_LRS", "Premium_ZRS", "PremiumV2_LRS", "Standard_LRS", "StandardSSD_LRS", "StandardSSD_ZRS", "UltraSSD_LRS"',
    ],
    [
      { ...linux, managedDisk: { storageAccountType: "UltraSSD_LRS" } },
      'osDisk.managedDisk.storageAccountType: Invalid value: "UltraSSD_LRS": is for data disks only',
    ],
    [
      { ...linux, diffDiskSettings: { option: "Local" }, managedDisk: { ...premium, diskEncryptionSet: {} } },
      "osDisk.managedDisk.diskEncryptionSet: Forbidden: an ephemeral disk (diffDiskSettings) cannot have one",
    ],
    [
      { ...linux, managedDisk: { ...premium, securityProfile: { diskEncryptionSet: { id: "x" } } } },
      "osDisk.managedDisk.securityProfile.diskEncryptionSet: Forbidden: needs securityEncryptionType DiskWithVMGuestState",
    ],
  ])("rejects %j", (disk, message) => {
    expect(osDiskErrors("osDisk", disk).map(formatFieldError)).toEqual([message]);
  });
});

describe("data disks", () => {
  test("get the lowest free slot and a caching type", () => {
    const disks: DataDisks = [
      { nameSuffix: "a", diskSizeGB: 4 },
      { nameSuffix: "b", diskSizeGB: 4, lun: 0, cachingType: "ReadOnly" },
      { nameSuffix: "c", diskSizeGB: 4, managedDisk: { storageAccountType: "UltraSSD_LRS" } },
    ];
    defaultDataDisks(disks);
    expect(disks.map(({ lun, cachingType }) => [lun, cachingType])).toEqual([
      [1, "ReadWrite"],
      [0, "ReadOnly"],
      [2, "None"],
    ]);
  });

  test("get their slots in as many steps as there are disks", () => {
    const count = 2_000;
    const disks: DataDisks = Array.from({ length: count }, () => ({ nameSuffix: "a", diskSizeGB: 4 }));
    const looks = vi.spyOn(Set.prototype, "has");
    try {
      defaultDataDisks(disks);
      expect(looks.mock.calls.length).toBeLessThanOrEqual(2 * count);
    } finally {
      looks.mockRestore();
    }
    expect(disks.map(({ lun }) => lun)).toEqual(Array.from({ length: count }, (_, slot) => slot));
  });

  test("keep their defaults", () => {
    const disks: DataDisks = [{ nameSuffix: "a", diskSizeGB: 4 }];
    defaultDataDisks(disks);
    const once = structuredClone(disks);
    defaultDataDisks(disks);
    expect(disks).toEqual(once);
    expect(dataDisksErrors("dataDisks", disks)).toEqual([]);
  });

  test.each<[DataDisks, string[]]>([
    [[{ nameSuffix: "", diskSizeGB: 4 }], ["dataDisks[0].nameSuffix: Required value: the disk needs a name"]],
    [
      [{ nameSuffix: "a", diskSizeGB: 3, lun: 64 }],
      [
        "dataDisks[0].diskSizeGB: Invalid value: 3: must be between 4 and 32767",
        "dataDisks[0].lun: Invalid value: 64: must be between 0 and 63",
      ],
    ],
    [
      [
        { nameSuffix: "a", diskSizeGB: 4, lun: 0 },
        { nameSuffix: "a", diskSizeGB: 4, lun: 0 },
      ],
      ['dataDisks[1].nameSuffix: Duplicate value: "a"', "dataDisks[1].lun: Duplicate value: 0"],
    ],
    [
      [
        {
          nameSuffix: "a",
          diskSizeGB: 4,
          cachingType: "ReadOnly",
          managedDisk: { storageAccountType: "UltraSSD_LRS" },
        },
      ],
      [
        'dataDisks[0].cachingType: Invalid value: "ReadOnly": must be None when storageAccountType is UltraSSD_LRS',
      ],
    ],
  ])("are rejected: %j", (disks, messages) => {
    expect(dataDisksErrors("dataDisks", disks).map(formatFieldError)).toEqual(messages);
  });
});
