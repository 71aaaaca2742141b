import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type Diagnostics, diagnosticsErrors, withDefaultDiagnostics } from "./diagnostics.ts";

const userManaged = { storageAccountURI: "https://x.blob.core.windows.net/" };

describe("diagnostics", () => {
  test("are stored by Azure by default", () => {
    const managed = { boot: { storageAccountType: "Managed" } };
    const disabled: Diagnostics = { boot: { storageAccountType: "Disabled" } };
    expect(withDefaultDiagnostics(undefined)).toEqual(managed);
    expect(withDefaultDiagnostics({})).toEqual(managed);
    expect(withDefaultDiagnostics(disabled)).toEqual(disabled);
  });

  test.each<Diagnostics>([
    {},
    { boot: { storageAccountType: "Managed" } },
    { boot: { storageAccountType: "UserManaged", userManaged } },
  ])("are accepted: %j", (diagnostics) => {
    expect(diagnosticsErrors("diagnostics", diagnostics)).toEqual([]);
  });

  test.each<[Diagnostics, string]>([
    [
      { boot: { storageAccountType: "UserManaged" } },
      "diagnostics.boot.userManaged.storageAccountURI: Required value: storageAccountType UserManaged needs it",
    ],
    [
      { boot: { storageAccountType: "Disabled", userManaged } },
      "diagnostics.boot.userManaged.storageAccountURI: Forbidden: storageAccountType must be UserManaged to use it, not Disabled",
    ],
  ])("are rejected: %j", (diagnostics, message) => {
    expect(diagnosticsErrors("diagnostics", diagnostics).map(formatFieldError)).toEqual([message]);
  });
});
