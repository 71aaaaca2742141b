import type { HttpRequest } from "@capstan/env";

/** A request that is not as the API says. */
export class BadRequest extends Error {
  override readonly name = "BadRequest";
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The body of a request. Cluster API's controllers send no content type, so it may come as text or bytes. */
export function bodyOf({ body }: HttpRequest): JsonObject {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body;
  let value: unknown = text;
  try {
    if (typeof text === "string") value = JSON.parse(text);
  } catch {
    throw new BadRequest("the body must be JSON");
  }
  if (isObject(value)) return value;
  throw new BadRequest("the body must be a JSON object");
}

/** The settings of the ExtensionConfig. */
export function settingsIn({ settings }: JsonObject): Readonly<Record<string, string>> {
  return isObject(settings) ? { ...(settings as Record<string, string>) } : {};
}
