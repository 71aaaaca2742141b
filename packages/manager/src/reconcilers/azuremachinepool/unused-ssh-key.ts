import { createHash } from "node:crypto";

const ALGORITHM = "ssh-ed25519";
// Its digest is a point of the curve: a key that looks like any other, and of which nobody ever had the private half.
const SENTENCE = "Capstan: nobody has the private half of this key";

/**
 * The key of machines whose pool names none, as a line of authorized_keys: Azure makes no machine that takes neither a
 * key nor a password. CAPZ writes a random one into the spec instead. That would be a new model, and so a rollout, each
 * time that a manifest with an empty key is applied again; this one is the same for ever, whoever sends it.
 */
export const KEY_OF_NOBODY = `${ALGORITHM} ${keyBlob().toString("base64")} nobody`;

function keyBlob(): Buffer {
  const parts = [Buffer.from(ALGORITHM), createHash("sha256").update(SENTENCE).digest()];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
}

function lengthOf({ length }: Buffer): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(length);
  return field;
}
