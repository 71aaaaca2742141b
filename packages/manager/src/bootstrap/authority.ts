import { createHash, X509Certificate } from "node:crypto";

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What `kubeadm join` pins: for each certificate of an authority, the SHA-256 of its public key with the key's
 * algorithm (the SubjectPublicKeyInfo). Undefined for a text in which there is no certificate, or a broken one.
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
    // OpenSSL's own words say nothing that helps, and might quote what must not be read.
    return undefined;
  }
}
