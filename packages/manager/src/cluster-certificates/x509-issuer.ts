import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, webcrypto } from "node:crypto";
import { promisify } from "node:util";
import type * as X509 from "@peculiar/x509";
import type { Clock, Env } from "@capstan/env";
import type { Credential } from "../certificates/credential.ts";
import type { AuthorityRequest, CertificateIssuer, KeyAlgorithm, KeyPair } from "./issuer.ts";

const DAY_MS = 24 * 3_600_000;
// A machine whose clock is a little behind must not get a certificate that is not valid yet; kubeadm's margin.
const EARLIER_MS = 5 * 60_000;
const AUTHORITY_NAME = "CN=kubernetes";

const generate = promisify(generateKeyPair);

/**
 * Real certificates, as Cluster API and kubeadm make them. They are valid for clients, too, whose clock may be behind that of
 * the manager: a simulation runs fast.
 */
export function x509Issuer(env: Pick<Env, "uuid">, clients?: Pick<Clock, "now">): CertificateIssuer {
  return {
    authority: (request) => {
      const earliestMs = Math.min(request.nowMs, clients?.now() ?? request.nowMs) - EARLIER_MS;
      return makeAuthority(env, { ...request, earliestMs });
    },
    keyPair: async (algorithm) => pairOf(await makeKey(algorithm)),
    client: async (authority, request) => {
      const x509 = await loadX509();
      const key = await makeKey(request.algorithm);
      const issuer = new x509.X509Certificate(authority.cert);
      const signer = createPrivateKey(authority.key);
      const certificate = await x509.X509CertificateGenerator.create({
        subject: [...request.groups.map((group) => ({ O: [group] })), { CN: [request.user] }],
        issuer: issuer.subject,
        serialNumber: serialNumber(env),
        notBefore: issuer.notBefore,
        notAfter: new Date(request.nowMs + request.validDays * DAY_MS),
        publicKey: await imported(createPublicKey(key), "verify"),
        signingKey: await imported(signer, "sign"),
        signingAlgorithm: algorithmOf(signer),
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(
            x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyEncipherment,
            true,
          ),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth]),
          // All authorities have the same name; the id tells OpenSSL which one has signed.
          await x509.AuthorityKeyIdentifierExtension.create(issuer),
        ],
      });
      return { cert: certificate.toString("pem"), key: pairOf(key).privateKey };
    },
  };
}

async function makeAuthority(
  env: Pick<Env, "uuid">,
  request: AuthorityRequest & { readonly earliestMs: number },
): Promise<Credential> {
  const { algorithm, validDays, nowMs, earliestMs } = request;
  const x509 = await loadX509();
  const key = await makeKey(algorithm);
  const publicKey = await imported(createPublicKey(key), "verify");
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: AUTHORITY_NAME,
    serialNumber: serialNumber(env),
    notBefore: new Date(earliestMs),
    notAfter: new Date(nowMs + validDays * DAY_MS),
    keys: { publicKey, privateKey: await imported(key, "sign") },
    signingAlgorithm: algorithmOf(key),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign |
          x509.KeyUsageFlags.digitalSignature |
          x509.KeyUsageFlags.keyEncipherment,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return { cert: certificate.toString("pem"), key: pairOf(key).privateKey };
}

/** Issuing is rare and its library is slow to load: a manager without control planes never loads it. */
async function loadX509(): Promise<typeof X509> {
  // x509 stores its parsers in a container that needs this library before anything else is loaded.
  await import("reflect-metadata");
  return import("@peculiar/x509");
}

async function makeKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  const [scheme, size = ""] = algorithm.split("-");
  const { privateKey } =
    scheme === "RSA"
      ? await generate("rsa", { modulusLength: Number(size) })
      : await generate("ec", { namedCurve: size === "P384" ? "P-384" : "P-256" });
  return privateKey;
}

/** The PEM forms of Cluster API: PKCS#1 for RSA, SEC1 for ECDSA. */
function pairOf(key: KeyObject): KeyPair {
  const type = key.asymmetricKeyType === "rsa" ? "pkcs1" : "sec1";
  return {
    publicKey: createPublicKey(key).export({ type: "spki", format: "pem" }).toString(),
    privateKey: key.export({ type, format: "pem" } as { type: "pkcs1"; format: "pem" }).toString(),
  };
}

type SigningAlgorithm = { readonly name: string; readonly hash: string; readonly namedCurve?: string };

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  if (asymmetricKeyType === "rsa") return { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const isLarge = asymmetricKeyDetails?.namedCurve === "secp384r1";
  return { name: "ECDSA", namedCurve: isLarge ? "P-384" : "P-256", hash: isLarge ? "SHA-384" : "SHA-256" };
}

function imported(key: KeyObject, usage: "sign" | "verify"): Promise<webcrypto.CryptoKey> {
  const [format, type] = usage === "sign" ? (["pkcs8", "pkcs8"] as const) : (["spki", "spki"] as const);
  const der = key.export({ type, format: "der" } as { type: "spki"; format: "der" });
  return webcrypto.subtle.importKey(format, der, algorithmOf(key), true, [usage]);
}

/** 63 random bits. */
function serialNumber({ uuid }: Pick<Env, "uuid">): string {
  // The first bit must be 0, or the number would be negative.
  return `0${uuid().replaceAll("-", "").slice(1, 16)}`;
}
