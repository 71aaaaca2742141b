import { ApiError, detailsOf } from "../http/status.ts";
import type { Attributes, User } from "./attributes.ts";
import { refusal } from "./rbac.ts";

/** The answer to a user whom no rule allows an action. */
export function forbidden(user: User, attributes: Attributes): ApiError {
  const details =
    "path" in attributes
      ? {}
      : detailsOf(
          { group: attributes.group, plural: attributes.resource.split("/")[0] ?? "" },
          attributes.name,
        );
  return new ApiError({ code: 403, reason: "Forbidden", message: refusal(user, attributes), details });
}
