import { type FieldError, invalid } from "../values/field-error.ts";

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

const EXPECTED = "must be the base64 of an authorized_keys line such as 'ssh-ed25519 AAAA… comment'";

/** Validates an SSH public key; without one, logging in is impossible. */
export function sshPublicKeyErrors(path: string, key: string | undefined): readonly FieldError[] {
  if (!key) {
    return [];
  }
  const packed = key.replace(/\s+/g, "");
  const wellFormed = BASE64.test(packed) && packed.length % 4 === 0;
  return wellFormed && isAuthorizedKey(Buffer.from(packed, "base64").toString("utf8"))
    ? []
    : [invalid(path, key, EXPECTED)];
}

// The key blob repeats the algorithm: a length of four bytes, then the name.
function isAuthorizedKey(line: string): boolean {
  const words = line.trim().split(/\s+/);
  return words.some((algorithm, index) => {
    const blob = Buffer.from(words[index + 1] ?? "", "base64");
    return (
      algorithm.length > 0 &&
      blob.length > 4 + algorithm.length &&
      blob.readUInt32BE(0) === algorithm.length &&
      blob.toString("latin1", 4, 4 + algorithm.length) === algorithm
    );
  });
}
