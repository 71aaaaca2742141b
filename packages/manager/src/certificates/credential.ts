import { createPrivateKey, X509Certificate } from "node:crypto";

/** A certificate with its key, as PEM texts. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
}

/** A fresh credential for a server, and the certificate of an authority that signed it and nothing else. */
export interface Issued extends Credential {
  readonly ca: string;
}

/** What a server's certificate must be good for. */
export interface Service {
  /** The names that callers know the server by. */
  readonly hosts: readonly string[];
  /** PEM certificates of the authorities that callers trust. */
  readonly bundle: string;
}

/** From when until when a credential serves, and which of the authorities vouches for it. */
export interface Soundness {
  readonly fromMs: number;
  readonly untilMs: number;
  /** PEM text. */
  readonly authority: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Looks at a credential; a text says why it serves nobody, whatever the time. */
export function examine({ cert, key }: Credential, { hosts, bundle }: Service): Soundness | string {
  try {
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key))) return "its key belongs to another certificate";
    const stranger = hosts.find((host) => !isFor(certificate, host));
    if (stranger !== undefined) return `it is not for ${stranger}`;
    const authority = certificatesIn(bundle).find((ca) => isIssuedBy(certificate, ca));
    if (!authority) return "none of the authorities in the Secret has signed it";
    return {
      fromMs: certificate.validFromDate.getTime(),
      untilMs: Math.min(certificate.validToDate.getTime(), authority.validToDate.getTime()),
      authority: authority.toString(),
    };
  } catch {
    // OpenSSL's own words say nothing that helps, and might quote what must not be read.
    return "it is not a certificate with its key in PEM";
  }
}

function certificatesIn(bundle: string): readonly X509Certificate[] {
  return (bundle.match(CERTIFICATE) ?? []).map((pem) => new X509Certificate(pem));
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const isAddress = /^[\d.]+$|:/.test(host);
  return (isAddress ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;
}

function isIssuedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}
