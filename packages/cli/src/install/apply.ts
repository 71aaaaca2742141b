import { builtInKind, type Kind } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import type { Manifest } from "./names.ts";

/** What became of an object. */
export interface Applied {
  readonly kind: string;
  readonly name: string;
  readonly result: "new" | "updated" | "unchanged";
}

/**
 * Brings an object to what it should be by server-side apply: what others have added to it stays, such as the authority
 * that the manager writes into its webhook configurations, and what somebody has changed comes back.
 */
export async function apply(client: Client, wanted: Manifest): Promise<Applied> {
  const kind = kindFor(wanted);
  const { metadata } = wanted;
  const old = await client.find(kind, metadata);
  const stored = await client.patch(kind, metadata, { type: "apply", body: wanted, force: true });
  const isSame = old?.metadata.resourceVersion === stored.metadata.resourceVersion;
  return {
    kind: wanted.kind,
    name: metadata.name,
    result: old ? (isSame ? "unchanged" : "updated") : "new",
  };
}

/** The kinds of an installation are all of Kubernetes itself, with plurals that end in s. */
function kindFor({ apiVersion, kind, metadata }: Manifest): Kind {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const plural = `${kind.toLowerCase()}s`;
  return builtInKind({ group, version, kind, plural, namespaced: metadata.namespace !== undefined });
}
