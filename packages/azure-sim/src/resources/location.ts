import { ArmError } from "../arm/errors.ts";
import { type JsonObject, textAt } from "../json.ts";

/** The region that a body names, as ARM writes it; ARM's refusal when it names none. */
export function requiredLocation(body: JsonObject): string {
  const location = textAt(body, "location")?.replaceAll(" ", "").toLowerCase();
  if (location !== undefined) return location;
  throw new ArmError(400, {
    code: "LocationRequired",
    message: "The location property is required for this definition.",
  });
}
