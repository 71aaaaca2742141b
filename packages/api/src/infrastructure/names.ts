/** Azure's rules for names, as far as admission can check them. */
import { type FieldError, invalid } from "../values/field-error.ts";
import { isGuid } from "../values/guid.ts";

const RESOURCE_GROUP = /^[-\p{L}\p{N}._()]{1,90}$/u;
const NETWORK_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}$/;

/** Validates the id of a subscription; if it is missing, the manager's is used. */
export function subscriptionErrors(path: string, id: string | undefined): readonly FieldError[] {
  return !id || isGuid(id) ? [] : [invalid(path, id, "must be a subscription id, a GUID")];
}

/** Validates the name of a resource group. */
export function resourceGroupErrors(path: string, name: string | undefined): readonly FieldError[] {
  const fine = !name || (RESOURCE_GROUP.test(name) && !name.endsWith("."));
  return fine
    ? []
    : [
        invalid(
          path,
          name,
          "must be 1 to 90 letters, digits, '-', '_', '.', '(' or ')', and not end with '.'",
        ),
      ];
}

/** Validates the name of a network, subnet, load balancer or private endpoint. */
export function networkNameErrors(path: string, name: string): readonly FieldError[] {
  return NETWORK_NAME.test(name) && /[A-Za-z0-9_]$/.test(name)
    ? []
    : [
        invalid(
          path,
          name,
          "must be 1 to 80 letters, digits, '-', '_' or '.', start with a letter, digit or '_' and not end with '-' or '.'",
        ),
      ];
}
