import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, object, oneOf, optional, string } from "../schema/schema.ts";
import { type FieldError, forbidden, required } from "../values/field-error.ts";

/** What Azure records while a machine boots. */
export const Diagnostics = object("What Azure records about the machine.", {
  boot: optional(
    object("Screenshots and serial output of the boot.", {
      storageAccountType: oneOf("Where the recordings are stored.", ["Managed", "UserManaged", "Disabled"]),
      userManaged: optional(
        object("A storage account of your own.", {
          storageAccountURI: string("Its blob endpoint.", { maxLength: 1024, pattern: "^https://" }),
        }),
      ),
    }),
  ),
});

/** What Azure records while a machine boots. */
export type Diagnostics = Static<typeof Diagnostics>;

/** By default boot diagnostics are on, in storage that Azure manages. */
export function withDefaultDiagnostics(diagnostics: Diagnostics | undefined): Diagnostics {
  return { ...diagnostics, boot: diagnostics?.boot ?? { storageAccountType: "Managed" } };
}

/** Validates diagnostics. */
export function diagnosticsErrors(
  path: string,
  diagnostics: Frozen<Diagnostics> | undefined,
): readonly FieldError[] {
  const boot = diagnostics?.boot;
  const uri = boot?.userManaged?.storageAccountURI;
  if (boot?.storageAccountType === "UserManaged" && !uri) {
    return [
      required(`${path}.boot.userManaged.storageAccountURI`, "storageAccountType UserManaged needs it"),
    ];
  }
  if (boot && boot.storageAccountType !== "UserManaged" && uri) {
    return [
      forbidden(
        `${path}.boot.userManaged.storageAccountURI`,
        `storageAccountType must be UserManaged to use it, not ${boot.storageAccountType}`,
      ),
    ];
  }
  return [];
}
