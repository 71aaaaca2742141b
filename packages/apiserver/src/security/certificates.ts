import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import type { Env } from "@capstan/env";

/** A certificate with its key, as PEM texts. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
}

/** The subject of a certificate. */
export type Holder =
  | { readonly type: "server"; readonly hosts: readonly string[] }
  | { readonly type: "client"; readonly user: string; readonly groups: readonly string[] };

// P-256: small, fast, and supported by every client with TLS 1.2.
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
// A client whose clock is behind ours must not get a certificate that is not valid yet.
const EARLIER_MS = 3_600_000;

/** Issuing is rare and its library is slow to load: a server that has its certificates never loads it. */
async function loadX509(): Promise<typeof X509> {
  // x509 stores its parsers in a container that needs this library before anything else is loaded.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/** Creates a certificate authority for one installation. */
export async function createAuthority(env: Env): Promise<Credential> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } =
    await loadX509();
  const keys = await generateKeys();
  const nowMs = env.clock.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // A unique name: with another authority of the same name OpenSSL would try our key on its certificates, and Node
    // reports the resulting error as one of the connection.
    name: `CN=capstan-ca-${env.uuid().slice(0, 8)}`,
    serialNumber: serialNumber(env),
    notBefore: new Date(nowMs - EARLIER_MS),
    notAfter: new Date(nowMs + AUTHORITY_DAYS * DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: certificate.toString("pem"), key: await keyText(keys.privateKey) };
}

/** Issues a certificate of the authority. */
export async function issueCertificate(env: Env, authority: Credential, holder: Holder): Promise<Credential> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const nowMs = env.clock.now();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: subjectOf(holder),
    issuer: issuer.subject,
    serialNumber: serialNumber(env),
    notBefore: new Date(nowMs - EARLIER_MS),
    notAfter: new Date(nowMs + LEAF_DAYS * DAY_MS),
    publicKey: keys.publicKey,
    ...(await signingWith(authority.key)),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        holder.type === "server" ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      ...(holder.type === "server"
        ? [new x509.SubjectAlternativeNameExtension(holder.hosts.map(alternativeName))]
        : []),
    ],
  });
  return { cert: certificate.toString("pem"), key: await keyText(keys.privateKey) };
}

/** Whether a certificate is valid for at least this much longer. */
export function isValidFor({ cert }: Credential, nowMs: number, remainingMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= nowMs && validToDate.getTime() >= nowMs + remainingMs;
}

/** A subject as data: commas and equal signs in values must not become parts of a name. */
function subjectOf(holder: Holder): { CN?: string[]; O?: string[] }[] {
  if (holder.type === "server") return [{ CN: ["capstan"] }];
  return [...holder.groups.map((group) => ({ O: [group] })), { CN: [holder.user] }];
}

function alternativeName(host: string): { type: "ip" | "dns"; value: string } {
  return { type: /^[\d.]+$|:/.test(host) ? "ip" : "dns", value: host };
}

function serialNumber(env: Env): string {
  // The first bit must be 0, or the number would be negative.
  return `0${env.uuid().replaceAll("-", "").slice(1)}`;
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
}

async function keyText(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey("pkcs8", key);
  return createPrivateKey({ key: Buffer.from(der), format: "der", type: "pkcs8" })
    .export({ type: "pkcs8", format: "pem" })
    .toString();
}

// The authorities of workload clusters have the algorithm that their users choose.
const CURVES: Readonly<Record<string, EcAlgorithm>> = {
  prime256v1: ALGORITHM,
  secp384r1: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
};
const RSA = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;

interface EcAlgorithm {
  readonly name: "ECDSA";
  readonly namedCurve: string;
  readonly hash: string;
}

interface Signing {
  readonly signingKey: webcrypto.CryptoKey;
  readonly signingAlgorithm: EcAlgorithm | typeof RSA;
}

async function signingWith(pem: string): Promise<Signing> {
  const key = createPrivateKey(pem);
  const curve = key.asymmetricKeyDetails?.namedCurve;
  const signingAlgorithm = (curve === undefined ? undefined : CURVES[curve]) ?? RSA;
  const der = key.export({ type: "pkcs8", format: "der" });
  const signingKey = await webcrypto.subtle.importKey("pkcs8", der, signingAlgorithm, false, ["sign"]);
  return { signingKey, signingAlgorithm };
}
