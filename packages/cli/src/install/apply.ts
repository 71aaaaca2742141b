import { builtInKind, type Kind } from "@capstan/api";
import type { Client } from "@capstan/runtime";
import type { Manifest } from "./names.ts";

/** An object, and whether it was created, updated or unchanged. */
export interface Applied {
  readonly kind: string;
  readonly name: string;
  readonly result: "new" | "updated" | "unchanged";
}

/**
 * Server-side applies an object. Fields of other owners stay, such as the CA bundle that the manager writes into its
 * webhook configurations; changes of other clients to our fields are reverted.
 */
export async function apply(client: Client, desired: Manifest): Promise<Applied> {
  const kind = kindFor(desired);
  const { metadata } = desired;
  const old = await client.find(kind, metadata);
  const stored = await client.patch(kind, metadata, { type: "apply", body: desired, force: true });
  const isSame = old?.metadata.resourceVersion === stored.metadata.resourceVersion;
  return {
    kind: desired.kind,
    name: metadata.name,
    result: old ? (isSame ? "unchanged" : "updated") : "new",
  };
}

/** The kind of an object of an installation. All of them are Kubernetes' own, with plurals that end in s. */
export function kindFor({ apiVersion, kind, metadata }: Manifest): Kind {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const plural = `${kind.toLowerCase()}s`;
  return builtInKind({ group, version, kind, plural, namespaced: metadata.namespace !== undefined });
}
