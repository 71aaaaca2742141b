/**
 * A certificate in a fixture names the private keys that it belongs to and was signed with, and is issued again for the fresh
 * ones. Everything else of it stays, such as its names and its times.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  sign,
  X509Certificate,
} from "node:crypto";

/** The private keys of a certificate, by number. */
export interface CertificateKeys {
  readonly own: string;
  readonly issuer: string;
}

/** The number of the private key of a public one. */
export type KeyNumbers = ReadonlyMap<string, string>;

/** Identifies the public part of a key, which a certificate has too. */
export function publicPart(key: KeyObject): string {
  return spkiOf(key.type === "private" ? createPublicKey(key) : key).toString("base64");
}

/** The hash of a public part, by which kubeadm knows an authority. */
export function hashOf(publicKey: string): string {
  return createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");
}

/** Which of these keys a certificate belongs to; undefined if one of its two is not among them. */
export function keysOf(pem: string, numbers: KeyNumbers): CertificateKeys | undefined {
  const certificate = new X509Certificate(pem);
  const own = numbers.get(publicPart(certificate.publicKey));
  const issuer = [...numbers].find(([text]) => {
    const key = createPublicKey({ key: Buffer.from(text, "base64"), format: "der", type: "spki" });
    return certificate.verify(key);
  });
  return own !== undefined && issuer ? { own, issuer: issuer[1] } : undefined;
}

/** The same certificate for another key, signed by another issuer. Both are of the same kind as those before. */
export function issuedAgain(pem: string, keys: { readonly own: string; readonly issuer: string }): string {
  const { raw, publicKey } = new X509Certificate(pem);
  const before = spkiOf(publicKey);
  const after = spkiOf(createPublicKey(keys.own));
  const at = raw.indexOf(before);
  if (after.length !== before.length || at < 0) throw new TypeError("the fresh key is of another kind");
  const der = Buffer.concat([raw.subarray(0, at), after, raw.subarray(at + before.length)]);
  const signed = signedPart(der);
  const signature = sign("sha256", signed, createPrivateKey(keys.issuer));
  // A signature of RSA has always the length of its key, and it ends the certificate.
  const whole = Buffer.concat([der.subarray(0, der.length - signature.length), signature]);
  return new X509Certificate(whole).toString().trim();
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

/** The part of a certificate that is signed: the first one inside the outer sequence. Both have lengths of two bytes. */
function signedPart(der: Buffer): Buffer {
  const HEADER = 4;
  return der.subarray(HEADER, HEADER + HEADER + der.readUInt16BE(HEADER + 2));
}
