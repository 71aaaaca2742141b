import { createHash, X509Certificate } from "node:crypto";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The hashes that `kubeadm join` pins: for each certificate of an authority, the SHA-256 of its public key with the key's
 * algorithm (the SubjectPublicKeyInfo). Undefined for a text without a certificate, or with a broken one.
 */
export function caCertHashes(pem: string): readonly string[] | undefined {
  const certificates = pem.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) return undefined;
  try {
    return certificates.map((certificate) => {
      const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
      return `sha256:${createHash("sha256").update(key).digest("hex")}`;
    });
  } catch {
    // OpenSSL's messages do not help, and may quote the key.
    return undefined;
  }
}
