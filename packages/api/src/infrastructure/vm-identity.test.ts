import { describe, expect, test } from "vitest";
import { formatFieldError } from "../values/field-error.ts";
import { type IdentityFields, defaultIdentity, identityErrors } from "./vm-identity.ts";

const ID =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/me";
const NAME = "11111111-2222-3333-4444-555555555555";

describe("defaultIdentity", () => {
  test("moves the deprecated name of the role assignment", () => {
    const machine: IdentityFields = {
      identity: "SystemAssigned",
      roleAssignmentName: NAME,
      systemAssignedIdentityRole: { scope: "/x" },
    };
    defaultIdentity(machine);
    expect(machine).toEqual({
      identity: "SystemAssigned",
      systemAssignedIdentityRole: { scope: "/x", name: NAME },
    });
  });

  test("drops the deprecated name when it is applied again with its replacement", () => {
    const moved: IdentityFields = { identity: "SystemAssigned", systemAssignedIdentityRole: { name: NAME } };
    const again = { ...structuredClone(moved), roleAssignmentName: NAME };
    defaultIdentity(again);
    expect(again).toEqual(moved);
  });

  test("leaves a contradiction to validation", () => {
    const machine: IdentityFields = {
      identity: "SystemAssigned",
      roleAssignmentName: NAME,
      systemAssignedIdentityRole: { name: "99999999-2222-3333-4444-555555555555" },
    };
    const before = structuredClone(machine);
    defaultIdentity(machine);
    expect(machine).toEqual(before);
  });
});

describe("validateIdentity", () => {
  test.each<IdentityFields>([
    {},
    { identity: "None" },
    { identity: "SystemAssigned" },
    {
      identity: "SystemAssigned",
      systemAssignedIdentityRole: { name: NAME, scope: "/x", definitionID: "/y" },
    },
    {
      identity: "UserAssigned",
      userAssignedIdentities: [{ providerID: ID }, { providerID: `azure://${ID}` }],
    },
  ])("accepts %j", (machine) => {
    expect(identityErrors("spec", machine, undefined)).toEqual([]);
  });

  test.each<[IdentityFields, string]>([
    [
      { userAssignedIdentities: [{ providerID: ID }] },
      "spec.userAssignedIdentities: Forbidden: identity must be UserAssigned to use it, not None",
    ],
    [
      { identity: "UserAssigned" },
      "spec.userAssignedIdentities: Required value: identity UserAssigned needs at least one",
    ],
    [
      { identity: "UserAssigned", userAssignedIdentities: [{ providerID: "me" }] },
      'spec.userAssignedIdentities[0].providerID: Invalid value: "me": must be an ARM resource id: an id starts with "/subscriptions/", not "me"',
    ],
    [
      { systemAssignedIdentityRole: {} },
      "spec.systemAssignedIdentityRole: Forbidden: identity must be SystemAssigned to use it, not None",
    ],
    [
      { identity: "SystemAssigned", systemAssignedIdentityRole: { scope: "" } },
      'spec.systemAssignedIdentityRole.scope: Invalid value: "": must not be empty; leave it out for the default',
    ],
    [
      { identity: "SystemAssigned", systemAssignedIdentityRole: { definitionID: "" } },
      'spec.systemAssignedIdentityRole.definitionID: Invalid value: "": must not be empty; leave it out for the default',
    ],
    [
      { identity: "SystemAssigned", systemAssignedIdentityRole: { name: "me" } },
      'spec.systemAssignedIdentityRole.name: Invalid value: "me": must be a UUID; leave it out to have one derived',
    ],
    [
      { identity: "SystemAssigned", roleAssignmentName: NAME, systemAssignedIdentityRole: { name: NAME } },
      "spec.roleAssignmentName: Forbidden: systemAssignedIdentityRole.name is set as well; use only that",
    ],
    [
      { roleAssignmentName: NAME },
      "spec.roleAssignmentName: Forbidden: identity must be SystemAssigned to use it",
    ],
  ])("rejects %j", (machine, message) => {
    expect(identityErrors("spec", machine, undefined).map(formatFieldError)).toEqual([message]);
  });

  test("keeps the name of the role assignment, and accepts an old object without one", () => {
    const machine: IdentityFields = {
      identity: "SystemAssigned",
      systemAssignedIdentityRole: { name: NAME },
    };
    const other: IdentityFields = {
      identity: "SystemAssigned",
      systemAssignedIdentityRole: { name: NAME.replaceAll("1", "9") },
    };
    expect(identityErrors("spec", machine, { identity: "None" })).toEqual([]);
    expect(identityErrors("spec", machine, machine)).toEqual([]);
    expect(identityErrors("spec", { identity: "None" }, machine)).toEqual([]);
    expect(identityErrors("spec", other, machine).map(formatFieldError)).toEqual([
      `spec.systemAssignedIdentityRole.name: Forbidden: cannot change from "${NAME}": the role is assigned under that name`,
    ]);
  });
});
