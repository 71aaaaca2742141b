import { ArmError } from "../arm/errors.ts";
import { type JsonObject, textAt } from "../json.ts";

/** The region in a body, as ARM spells it; throws ARM's refusal when it is missing. */
export function requiredLocation(body: JsonObject): string {
  const location = textAt(body, "location")?.replaceAll(" ", "").toLowerCase();
  if (location !== undefined) return location;
  throw new ArmError(400, {
    code: "LocationRequired",
    message: "The location property is required for this definition.",
  });
}
