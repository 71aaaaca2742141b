import { resourceNotFound } from "../../arm/errors.ts";
import type { Call } from "../../core/call.ts";
import { COMPUTE } from "../compute/compute-write.ts";

/** The error for a gallery, or a part of one, that does not exist. */
export function missing(call: Call): Error {
  const { types, names, group = "" } = call.target;
  const path = types.map((type, index) => `${type}/${names[index]}`).join("/");
  return resourceNotFound(`${COMPUTE}/${path}`, group);
}
