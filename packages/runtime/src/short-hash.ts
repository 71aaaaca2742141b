import { createHash } from "node:crypto";

const LENGTH = 16;

/** The first hexadecimal digits of the SHA-256 of a text, for names and for comparing desired states. */
export function shortHash(text: string, length: number = LENGTH): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
