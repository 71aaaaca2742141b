/** Whether a JSON value is an object: neither a list nor null, which JavaScript also calls objects. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
