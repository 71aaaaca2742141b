import { createPrivateKey, webcrypto, X509Certificate } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import type { Env } from "@capstan/env";

/** A certificate with its key, as PEM texts. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
}

/** Who a certificate is for. */
export type Holder =
  | { readonly type: "server"; readonly hosts: readonly string[] }
  | { readonly type: "client"; readonly user: string; readonly groups: readonly string[] };

// P-256: small, fast, and understood by every client that speaks TLS 1.2.
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
// A client whose clock is behind ours must not find a certificate that is not valid yet.
const EARLIER_MS = 3_600_000;

/** Issuing is rare and its library takes long to load: a server that has its certificates never does. */
async function loadX509(): Promise<typeof X509> {
  // x509 keeps its parsers in a container that needs these decorators' data before anything of it is loaded.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

/** Makes an authority that signs certificates for one installation. */
export async function createAuthority(env: Env): Promise<Credential> {
  const { BasicConstraintsExtension, KeyUsageFlags, KeyUsagesExtension, X509CertificateGenerator } =
    await loadX509();
  const keys = await generateKeys();
  const nowMs = env.clock.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // A name of its own: OpenSSL would try our key on a certificate of another authority of the same name, and Node
    // takes the error that leaves behind for one of the connection.
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

/** Makes a certificate that the authority has signed. */
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
    signingKey: await importKey(authority.key),
    signingAlgorithm: ALGORITHM,
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

/** Whether a certificate is within its time for at least so much longer. */
export function isValidFor({ cert }: Credential, nowMs: number, remainingMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  return validFromDate.getTime() <= nowMs && validToDate.getTime() >= nowMs + remainingMs;
}

/** A subject as data: values with commas or equal signs must not become parts of a name. */
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

async function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: "pkcs8", format: "der" });
  return webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]);
}
