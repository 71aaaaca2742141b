import type { Frozen } from "../kubernetes/meta.ts";
import { type Static, listOf, object, oneOf, optional, string } from "../schema/schema.ts";
import { armIdProblem } from "../values/arm-id.ts";
import { type FieldError, errorIf, forbidden, invalid, required } from "../values/field-error.ts";
import { isGuid } from "../values/guid.ts";

const SystemAssignedIdentityRole = object("The role that the system-assigned identity is given.", {
  name: optional(string("The name of the role assignment, a UUID. Derived from the object if not set.")),
  scope: optional(string("The scope of the role. Default: the whole subscription.")),
  definitionID: optional(string("The ARM id of the role definition. Default: Contributor.")),
});

/** The fields that give a machine an Azure identity, current and deprecated. */
export const identityFields = {
  identity: optional(
    oneOf("The kind of identity the machine has.", ["None", "SystemAssigned", "UserAssigned"], {
      default: "None",
    }),
  ),
  userAssignedIdentities: optional(
    listOf(
      "Existing identities that the machine gets.",
      object("An identity.", { providerID: string("Its ARM id, with or without the prefix azure://.") }),
    ),
  ),
  systemAssignedIdentityRole: optional(SystemAssignedIdentityRole),
  roleAssignmentName: optional(string("Deprecated: use systemAssignedIdentityRole.name.")),
};

/** The identity fields of a machine or a pool. */
export interface IdentityFields {
  identity?: "None" | "SystemAssigned" | "UserAssigned";
  userAssignedIdentities?: { providerID: string }[];
  systemAssignedIdentityRole?: Static<typeof SystemAssignedIdentityRole>;
  roleAssignmentName?: string;
}

/** Moves the deprecated name of the role assignment to its current field. */
export function defaultIdentity(machine: IdentityFields): void {
  const { roleAssignmentName, systemAssignedIdentityRole: role } = machine;
  if (machine.identity !== "SystemAssigned" || !roleAssignmentName) return;
  // A manifest that is applied again repeats it without a change; validation refuses a contradiction.
  if (role?.name && role.name !== roleAssignmentName) return;
  machine.systemAssignedIdentityRole = { ...role, name: roleAssignmentName };
  delete machine.roleAssignmentName;
}

/** Validates the identity of a machine. */
export function identityErrors(
  path: string,
  machine: Frozen<IdentityFields>,
  old: Frozen<IdentityFields> | undefined,
): readonly FieldError[] {
  return [
    ...userAssignedErrors(path, machine),
    ...systemAssignedErrors(path, machine),
    ...deprecatedNameErrors(path, machine),
    ...roleAssignmentNameErrors(path, machine, old),
  ];
}

function userAssignedErrors(path: string, machine: Frozen<IdentityFields>): readonly FieldError[] {
  const { identity = "None", userAssignedIdentities = [] } = machine;
  const list = `${path}.userAssignedIdentities`;
  if (identity !== "UserAssigned") {
    return userAssignedIdentities.length === 0
      ? []
      : [forbidden(list, `identity must be UserAssigned to use it, not ${identity}`)];
  }
  if (userAssignedIdentities.length === 0) {
    return [required(list, "identity UserAssigned needs at least one")];
  }
  return userAssignedIdentities.flatMap(({ providerID }, index) => {
    const problem = armIdProblem(providerID.replace(/^azure:\/\//, ""));
    return problem === undefined
      ? []
      : [invalid(`${list}[${index}].providerID`, providerID, `must be an ARM resource id: ${problem}`)];
  });
}

function systemAssignedErrors(path: string, machine: Frozen<IdentityFields>): readonly FieldError[] {
  const { identity = "None", systemAssignedIdentityRole: role } = machine;
  const at = `${path}.systemAssignedIdentityRole`;
  if (role === undefined) {
    return [];
  }
  if (identity !== "SystemAssigned") {
    return [forbidden(at, `identity must be SystemAssigned to use it, not ${identity}`)];
  }
  return (["scope", "definitionID"] as const).flatMap((field) =>
    role[field] === ""
      ? [invalid(`${at}.${field}`, "", "must not be empty; leave it out for the default")]
      : [],
  );
}

function deprecatedNameErrors(path: string, machine: Frozen<IdentityFields>): readonly FieldError[] {
  const { identity, roleAssignmentName, systemAssignedIdentityRole: role } = machine;
  const at = `${path}.roleAssignmentName`;
  if (!roleAssignmentName) {
    return [];
  }
  return role?.name
    ? [forbidden(at, "systemAssignedIdentityRole.name is set as well; use only that")]
    : errorIf(identity !== "SystemAssigned", forbidden(at, "identity must be SystemAssigned to use it"));
}

function roleAssignmentNameErrors(
  path: string,
  machine: Frozen<IdentityFields>,
  old: Frozen<IdentityFields> | undefined,
): readonly FieldError[] {
  if (machine.identity !== "SystemAssigned") {
    return [];
  }
  const at = `${path}.systemAssignedIdentityRole.name`;
  const name = machine.systemAssignedIdentityRole?.name;
  const oldName = old?.systemAssignedIdentityRole?.name;
  if (oldName && oldName !== name) {
    return [
      forbidden(at, `cannot change from ${JSON.stringify(oldName)}: the role is assigned under that name`),
    ];
  }
  return errorIf(
    name && !isGuid(name),
    invalid(at, name, "must be a UUID; leave it out to have one derived"),
  );
}
