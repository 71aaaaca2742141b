import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import type { OSDisk } from "./disks.ts";
import { type SecurityProfile, securityProfileErrors } from "./security-profile.ts";

const disk = (securityEncryptionType: "VMGuestStateOnly" | "DiskWithVMGuestState"): OSDisk => ({
  osType: "Linux",
  managedDisk: { storageAccountType: "Premium_LRS", securityProfile: { securityEncryptionType } },
});
const confidential: SecurityProfile = {
  securityType: "ConfidentialVM",
  uefiSettings: { vTpmEnabled: true, secureBootEnabled: true },
};

describe("validateSecurityProfile", () => {
  test("accepts a confidential VM, and anything on an ordinary disk", () => {
    expect(securityProfileErrors("p", confidential, disk("DiskWithVMGuestState"))).toEqual([]);
    expect(securityProfileErrors("p", { encryptionAtHost: true }, { osType: "Linux" })).toEqual([]);
    expect(securityProfileErrors("p", undefined, disk("VMGuestStateOnly"))).toEqual([]);
  });

  test("reports everything that contradicts an encrypted disk", () => {
    const errors = securityProfileErrors("p", { encryptionAtHost: true }, disk("DiskWithVMGuestState"));
    const why = "when the OS disk has securityEncryptionType DiskWithVMGuestState";
    expect(errors.map(formatFieldError)).toEqual([
      `p.securityType: Invalid value: null: must be ConfidentialVM ${why}`,
      `p.uefiSettings.vTpmEnabled: Invalid value: null: must be true ${why}`,
      `p.uefiSettings.secureBootEnabled: Invalid value: null: must be true ${why}`,
      `p.encryptionAtHost: Invalid value: true: must be false ${why}`,
    ]);
  });

  test("lets secure boot be off when only the guest state is encrypted", () => {
    const profile: SecurityProfile = { securityType: "ConfidentialVM", uefiSettings: { vTpmEnabled: true } };
    expect(securityProfileErrors("p", profile, disk("VMGuestStateOnly"))).toEqual([]);
  });
});
