import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, boolean, object, oneOf, optional } from "../schema/schema.ts";
import { type FieldError, errorIf, invalid } from "../values/field-error.ts";
import type { OSDisk } from "./disks.ts";

/** Trusted launch, confidential computing and encryption at host. */
export const SecurityProfile = object("Security features of the machine.", {
  encryptionAtHost: optional(boolean("Whether the host encrypts all disks, the temporary one too.")),
  securityType: optional(oneOf("The hardening of the VM.", ["ConfidentialVM", "TrustedLaunch"])),
  uefiSettings: optional(
    object("Security settings of the firmware.", {
      secureBootEnabled: optional(boolean("Whether only signed code boots.")),
      vTpmEnabled: optional(boolean("Whether the VM has a virtual TPM.")),
    }),
  ),
});

/** Trusted launch, confidential computing and encryption at host. */
export type SecurityProfile = Static<typeof SecurityProfile>;

/** Reports settings that contradict a confidential OS disk. */
export function securityProfileErrors(
  path: string,
  profile: Frozen<SecurityProfile> | undefined,
  osDisk: Frozen<OSDisk>,
): readonly FieldError[] {
  const encryption = osDisk.managedDisk?.securityProfile?.securityEncryptionType;
  if (profile === undefined || encryption === undefined) {
    return [];
  }
  const { securityType, uefiSettings: { vTpmEnabled, secureBootEnabled } = {}, encryptionAtHost } = profile;
  const why = `when the OS disk has securityEncryptionType ${encryption}`;
  const whole = encryption === "DiskWithVMGuestState";
  const mustBe = (field: string, value: unknown, wanted: string): FieldError =>
    invalid(`${path}.${field}`, value, `must be ${wanted} ${why}`);
  return [
    ...errorIf(securityType !== "ConfidentialVM", mustBe("securityType", securityType, "ConfidentialVM")),
    ...errorIf(!vTpmEnabled, mustBe("uefiSettings.vTpmEnabled", vTpmEnabled, "true")),
    ...errorIf(
      whole && !secureBootEnabled,
      mustBe("uefiSettings.secureBootEnabled", secureBootEnabled, "true"),
    ),
    ...errorIf(whole && encryptionAtHost, mustBe("encryptionAtHost", encryptionAtHost, "false")),
  ];
}
