import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import type { Frozen, Secret } from "@capstan/api";
import type { Credential } from "../certificates/credential.ts";
import type { RequiredCertificate } from "./purposes.ts";

/** A certificate with its key as it is stored; the key is empty where users do not give it. */
export function storedCredential({ data = {} }: Frozen<Secret>): Credential {
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  return { cert: text("tls.crt"), key: text("tls.key") };
}

/** Why a stored certificate cannot be used; undefined when it can. No byte of the Secret gets into the message. */
export function storedProblem(
  { cert, key }: Credential,
  { purpose, keyFile }: RequiredCertificate,
  nowMs: number,
): string | undefined {
  if (cert === "") return "has no key tls.crt";
  if (keyFile !== undefined && key === "") return "has no key tls.key";
  try {
    if (purpose === "sa") {
      createPublicKey(cert);
      createPrivateKey(key);
      return undefined;
    }
    const isAuthority = purpose !== "apiserver-etcd-client";
    return certificateProblem(new X509Certificate(cert), { key, isAuthority, nowMs });
  } catch {
    // OpenSSL's messages do not help, and may quote the key.
    return purpose === "sa"
      ? "does not have a public key in tls.crt and its private key in tls.key, in PEM"
      : "does not have a certificate in tls.crt and its key in tls.key, in PEM";
  }
}

interface Expected {
  readonly key: string;
  readonly isAuthority: boolean;
  readonly nowMs: number;
}

function certificateProblem(
  certificate: X509Certificate,
  { key, isAuthority, nowMs }: Expected,
): string | undefined {
  if (isAuthority && !certificate.ca)
    return "has a certificate in tls.crt that may not sign others (CA:FALSE); put the certificate of an authority there";
  if (key !== "" && !certificate.checkPrivateKey(createPrivateKey(key)))
    return "has a tls.key that does not belong to its tls.crt; put a certificate and its own key there";
  const { validToDate } = certificate;
  return validToDate.getTime() <= nowMs
    ? `has a certificate that expired at ${validToDate.toISOString()}; put a renewed one of the same key into tls.crt`
    : undefined;
}
