import type { Frozen } from "../kubernetes/meta.ts";

/** An identity, as far as its file is concerned. */
type Identity = Frozen<{ metadata: { namespace?: string }; spec: { certPath?: string } }>;

/** Where the file of an identity is, or why it must not be read. */
export type IdentityFile =
  | { readonly path: string; readonly folder: string; readonly problem?: undefined }
  | { readonly problem: string };

/** The folder of the manager with the certificates of identities: a subfolder for each namespace. */
const CERTIFICATES = "/var/run/secrets/capstan/identities";

/**
 * The certificate file of an identity; undefined if it names none. Only the folder of the identity's own namespace is
 * allowed: a user who may write identities must not read, or test for, other files of the manager. Login and admission
 * both ask this function.
 */
export function identityFile({
  metadata,
  spec: { certPath: path = "" },
}: Identity): IdentityFile | undefined {
  if (path === "") return undefined;
  const folder = `${CERTIFICATES}/${metadata.namespace ?? "default"}`;
  const names = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split("/") : [];
  const isInside = names.length > 0 && names.every((name) => !["", ".", ".."].includes(name));
  if (isInside && path.length <= 1024 && !path.includes("\0")) return { path, folder };
  return {
    problem: `must be a file under ${folder}/, where the manager keeps certificates of this namespace`,
  };
}
