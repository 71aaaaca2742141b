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

// Certificates last a year and are looked at when a server starts: nobody is surprised by one that ends next week.
const RENEWAL_MS = 30 * 24 * 3_600_000;

/** The authority that is kept in a folder; made anew when there is none that still serves. */
export async function keptAuthority(env: Env, folder: string): Promise<Credential> {
  return kept(env, { path: join(folder, "ca"), make: () => createAuthority(env) });
}

/** The certificates of a port: the authority that clients trust, and what it has signed for the server. */
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

/** What an administrator's kubeconfig says beside the credential. */
export interface AdminAccess {
  readonly path: string;
  /** Signs the administrator's certificate. */
  readonly authority: Credential;
  readonly server: string;
  /** PEM text of the authority of the server. */
  readonly serverCa: string;
  readonly names: KubeconfigNames;
}

/** Brings an administrator's kubeconfig up to date. The credential in it stays while it serves: copies go on working. */
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
  // A crash between the two leaves a pair that does not match, and the next start makes another.
  writePrivateFile(`${path}.key`, made.key);
  writePrivateFile(`${path}.crt`, made.cert);
  return made;
}

/** Whether a credential is whole, signed by the authority and good for a while. */
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
    // A text that is no certificate or no key serves nobody.
    return false;
  }
}
