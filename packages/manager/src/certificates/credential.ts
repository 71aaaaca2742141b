import { createPrivateKey, X509Certificate } from "node:crypto";

/** A certificate with its key, as PEM texts. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
}

/** A new server certificate with its key, and the authority that signed only this certificate. */
export interface Issued extends Credential {
  readonly ca: string;
}

/** The requirements on a server's certificate. */
export interface Service {
  /** The names by which callers connect to the server. */
  readonly hosts: readonly string[];
  /** PEM certificates of the authorities that callers trust. */
  readonly bundle: string;
}

/** The validity of a credential, and the authority that has signed it. */
export interface Soundness {
  readonly fromMs: number;
  readonly untilMs: number;
  /** PEM text. */
  readonly authority: string;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Checks a credential; a string is the reason why it is not usable at any time. */
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
    // OpenSSL's messages do not help, and may quote the key.
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
