/** An ARM id by which resources are compared and found: Azure ignores the case of ASCII letters. */
export function foldedID(id: string): string {
  return id.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
