import type { Frozen } from "../kubernetes/meta.ts";

/** An identity, as far as its Secret is concerned. */
type Identity = Frozen<{
  metadata: { namespace?: string };
  spec: { clientSecret?: { name?: string; namespace?: string } };
}>;

/** Where the Secret of an identity is, or why it must not be read. */
export type IdentitySecret =
  | { readonly name: string; readonly namespace: string; readonly problem?: undefined }
  | { readonly problem: string };

/**
 * The Secret of an identity; undefined if it names none. Only the identity's own namespace is allowed: a user who may write
 * identities must not use Secrets that they may not read. Login, cloud-provider config and admission all ask this function.
 */
export function identitySecret({ metadata, spec }: Identity): IdentitySecret | undefined {
  const own = metadata.namespace ?? "default";
  const { name, namespace = own } = spec.clientSecret ?? {};
  if (name === undefined || name === "") return undefined;
  if (namespace === own || namespace === "") return { name, namespace: own };
  return { problem: `is ${namespace}; it must be ${own}, where the identity is` };
}
