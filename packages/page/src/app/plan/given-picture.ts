import type { Picture } from "../../picture.ts";

/** Whether an answer of the server is a picture: a server of another release may say something else. */
export function isPicture(value: unknown): value is Picture {
  return typeof value === "object" && value !== null && "groups" in value && Array.isArray(value.groups);
}
