import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAuthority, issueCertificate } from "@capstan/apiserver";
import { createRealEnv } from "@capstan/env";

/** Writes the certificate of a server into a new folder, as Kubernetes mounts a Secret of it; returns its authority in PEM. */
export async function writeServerCertificates(folder: string, host: string): Promise<string> {
  const env = createRealEnv();
  const authority = await createAuthority(env);
  const { cert, key } = await issueCertificate(env, authority, { type: "server", hosts: [host] });
  mkdirSync(folder);
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key, { mode: 0o600 });
  return authority.cert;
}
