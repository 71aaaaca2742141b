const GUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a GUID, such as the id of a subscription. */
export function isGuid(text: string): boolean {
  return GUID.test(text);
}
