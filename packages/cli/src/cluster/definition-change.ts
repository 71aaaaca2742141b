import { type CrdConversion, type CustomResourceDefinition, deepEqual, type Frozen } from "@capstan/api";

/** A CRD as the server has it. */
export type StoredDefinition = Frozen<CustomResourceDefinition>;

// cert-manager would write its own authority over that of our webhooks.
const INJECTIONS = ["cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"];

/**
 * A stored CRD as we want it. It keeps what other clients have added: labels, annotations, and a conversion where ours has
 * none. `bundle` is the authority of our webhooks, in base64; without one, that of the stored CRD stays.
 */
export function nextDefinition(
  old: StoredDefinition,
  desired: CustomResourceDefinition,
  bundle?: string,
): StoredDefinition {
  const labels = { ...old.metadata.labels, ...desired.metadata.labels };
  const conversion = desired.spec.conversion
    ? trusting(desired.spec.conversion, bundle ?? bundleOf(old, desired.spec.conversion))
    : old.spec.conversion;
  return {
    ...old,
    metadata: {
      ...withoutInjections(old.metadata, desired),
      ...(Object.keys(labels).length > 0 && { labels }),
    },
    spec: { ...desired.spec, ...(conversion !== undefined && { conversion }) },
  };
}

/** A conversion that trusts this authority, if there is one. */
export function trusting(conversion: CrdConversion, caBundle: string | undefined): CrdConversion {
  const { webhook } = conversion;
  if (!webhook || caBundle === undefined) return conversion;
  return { ...conversion, webhook: { ...webhook, clientConfig: { ...webhook.clientConfig, caBundle } } };
}

/** Whether objects that are stored already have to be converted after the change, or by another server than before. */
export function needsConversion(
  old: StoredDefinition | undefined,
  { spec }: CustomResourceDefinition,
): boolean {
  if (!old || !spec.conversion) return false;
  const versions = ({ spec: some }: Pick<StoredDefinition, "spec">): object =>
    some.versions
      .map(({ name, served, storage }) => ({ name, served, storage }))
      .toSorted((left, right) => left.name.localeCompare(right.name));
  return (
    !deepEqual(serviceOf(old.spec.conversion), serviceOf(spec.conversion)) ||
    !deepEqual(versions(old), versions({ spec }))
  );
}

function serviceOf(conversion: Frozen<CrdConversion> | undefined): unknown {
  const { namespace, name, path } = conversion?.webhook?.clientConfig.service ?? {};
  return { strategy: conversion?.strategy, namespace, name, path };
}

/** The authority that the manager has written; that of another provider's webhook is of no use for ours. */
function bundleOf({ spec }: StoredDefinition, desired: CrdConversion): string | undefined {
  const isSameServer = deepEqual(serviceOf(spec.conversion), serviceOf(desired));
  return isSameServer ? spec.conversion?.webhook?.clientConfig.caBundle : undefined;
}

function withoutInjections(
  metadata: StoredDefinition["metadata"],
  { spec }: CustomResourceDefinition,
): StoredDefinition["metadata"] {
  const { annotations, ...rest } = metadata;
  if (!annotations || !spec.conversion) return metadata;
  const kept = Object.entries(annotations).filter(([name]) => !INJECTIONS.includes(name));
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}
