const HASHES = String.raw`v\d+-[0-9a-f]{6,}(?:(?:, | and )v\d+-[0-9a-f]{6,})*`;

/** A hash says nothing to a reader who does not look it up; the changed fields are in the lines above it. */
export function inWords(text: string): string {
  return text
    .replaceAll(new RegExp(` with model ${HASHES}, desired is ${HASHES}`, "g"), " of an older model")
    .replaceAll(new RegExp(`has model ${HASHES}, desired is ${HASHES}`, "g"), "has an older model");
}
