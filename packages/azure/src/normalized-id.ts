/**
 * The form in which ARM ids and provider ids are compared and indexed. Azure ignores the case of ASCII letters and of
 * no others; `toLowerCase` alone would also fold letters such as the Kelvin sign.
 */
export function normalizedId(id: string): string {
  return isAscii(id) ? id.toLowerCase() : id.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- the range of ASCII starts with control characters
  return !/[^\x00-\x7f]/.test(text);
}
