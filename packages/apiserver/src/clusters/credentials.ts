import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { Env } from "@capstan/env";
import {
  createAuthority,
  type Credential,
  type Holder,
  issueCertificate,
  isValidFor,
} from "../security/certificates.ts";
import { kubeconfigText, type KubeconfigNames, parseKubeconfig } from "./kubeconfig.ts";
import { makePrivateFolder, readIfThere, writePrivateFile } from "./private-file.ts";

// Certificates are valid for a year and are checked when a server starts: one that expires soon is renewed in time.
const RENEWAL_MS = 30 * 24 * 3_600_000;

/** The certificate authority that is stored in a folder; created if there is none that is still valid. */
export async function keptAuthority(env: Env, folder: string): Promise<Credential> {
  return kept(env, { path: join(folder, "ca"), make: () => createAuthority(env) });
}

/** The certificates of a port: the authority that clients trust, and the serving certificate that it signed. */
export async function keptServing(
  env: Env,
  folder: string,
): Promise<{ readonly authority: Credential; readonly server: Credential }> {
  const authority = await keptAuthority(env, folder);
  const holder: Holder = { type: "server", hosts: ["127.0.0.1", "localhost", "::1"] };
  const server = await kept(env, {
    path: join(folder, "tls"),
    authority,
    make: () => issueCertificate(env, authority, holder),
  });
  return { authority, server };
}

/** The contents of an administrator's kubeconfig beside the credential. */
export interface AdminAccess {
  readonly path: string;
  /** Signs the administrator's certificate. */
  readonly authority: Credential;
  readonly server: string;
  /** PEM text of the server's certificate authority. */
  readonly serverCa: string;
  readonly names: KubeconfigNames;
}

/** Updates an administrator's kubeconfig. A valid credential stays, so copies of the file keep working. */
export async function keepKubeconfig(env: Env, access: AdminAccess): Promise<void> {
  const { path, authority, server, serverCa, names } = access;
  const old = readIfThere(path);
  const found = old === undefined ? undefined : parseKubeconfig(old)?.client;
  const client =
    found && isUsable(env, found, authority)
      ? found
      : await issueCertificate(env, authority, { type: "client", user: "admin", groups: ["system:masters"] });
  const text = kubeconfigText({ server, ca: serverCa, client }, names);
  if (text !== old) writePrivateFile(path, text);
}

interface Keeping {
  /** Path of the files, without `.crt` and `.key`. */
  readonly path: string;
  readonly authority?: Credential;
  readonly make: () => Promise<Credential>;
}

async function kept(env: Env, { path, authority, make }: Keeping): Promise<Credential> {
  const [cert, key] = [readIfThere(`${path}.crt`), readIfThere(`${path}.key`)];
  if (cert !== undefined && key !== undefined && isUsable(env, { cert, key }, authority))
    return { cert, key };
  const made = await make();
  makePrivateFolder(join(path, ".."));
  // A crash between the two leaves a pair that does not match, and the next start creates another.
  writePrivateFile(`${path}.key`, made.key);
  writePrivateFile(`${path}.crt`, made.cert);
  return made;
}

/** Whether a credential is complete, signed by the authority and valid for a while. */
function isUsable(env: Env, credential: Credential, authority: Credential | undefined): boolean {
  try {
    const certificate = new X509Certificate(credential.cert);
    const issuer = authority && new X509Certificate(authority.cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(credential.key)) &&
      isValidFor(credential, env.clock.now(), RENEWAL_MS) &&
      (!issuer || (certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)))
    );
  } catch {
    // A text that is not a certificate or a key is unusable.
    return false;
  }
}
