import { createHash } from "node:crypto";

const ALGORITHM = "ssh-ed25519";
// The digest of this text is a point of the curve: a valid public key whose private key does not exist.
const SENTENCE = "Capstan: nobody has the private half of this key";

/**
 * The key of machines whose pool names none, as a line of authorized_keys: Azure creates no machine without a key or a password.
 * CAPZ writes a random key into the spec instead, which would be a new model, and so a rollout, each time a manifest
 * with an empty key is applied again; this key never changes.
 */
export const UNUSED_SSH_KEY = `${ALGORITHM} ${keyBlob().toString("base64")} nobody`;

function keyBlob(): Buffer {
  const parts = [Buffer.from(ALGORITHM), createHash("sha256").update(SENTENCE).digest()];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
}

function lengthOf({ length }: Buffer): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(length);
  return field;
}
