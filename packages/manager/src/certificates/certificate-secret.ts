import type { Frozen, Secret } from "@capstan/api";
import type { Credential } from "./credential.ts";
import type { Kept } from "./rotation.ts";

/** The Secret with the webhook certificates, which the replicas share. */
export const CERTIFICATE_SECRET = "capstan-webhook-certificate";

/** The certificates in a Secret, valid or not; undefined when it has none. */
export function readCertificates({ data = {} }: Frozen<Secret>): Kept | undefined {
  const text = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString("utf8");
  const credential = (name: string): Credential | undefined =>
    data[`${name}.crt`] && data[`${name}.key`]
      ? { cert: text(`${name}.crt`), key: text(`${name}.key`) }
      : undefined;
  const serving = credential("tls");
  const next = credential("next");
  return serving && { bundle: text("ca.crt"), serving, ...(next && { next }) };
}

/** The data of a Secret with these certificates. */
export function certificateData({ bundle, serving, next }: Kept): Record<string, string> {
  const texts = {
    "ca.crt": bundle,
    "tls.crt": serving.cert,
    "tls.key": serving.key,
    ...(next && { "next.crt": next.cert, "next.key": next.key }),
  };
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString("base64")]),
  );
}
