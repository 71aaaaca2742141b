import type { CustomResourceDefinition, Frozen } from "@capstan/api";

/** A CRD of ours, as far as its stored versions and its conversion matter. */
export type Definition = Pick<Frozen<CustomResourceDefinition>, "metadata" | "spec" | "status">;

/** One step towards a CRD whose objects are all stored in its storage version. */
export type MigrationStep =
  | {
      /** Writes each object again, so that the server stores it in the storage version. */
      readonly action: "rewrite";
      readonly version: string;
      /** Owners of fields in other versions than these are removed: an apply would fail because of them. */
      readonly servedVersions: readonly string[];
      readonly why: string;
    }
  | {
      /** Records that no object is stored in another version; it follows the rewrite of all objects. */
      readonly action: "prune";
      readonly storedVersions: readonly string[];
      readonly why: string;
    };

/** What this process knows of a CRD beside its text. */
export interface MigrationContext {
  /** Whether the owners of fields were checked since the CRD last changed. */
  readonly isChecked?: boolean;
}

/**
 * Decides what is left to do for a CRD. The progress is `status.storedVersions` alone, so a process that was killed anywhere
 * begins again with the same steps, and repeats only writes that change nothing.
 */
export function planMigration(
  { spec, status }: Definition,
  { isChecked = false }: MigrationContext = {},
): readonly MigrationStep[] {
  const version = spec.versions.find(({ storage }) => storage)?.name;
  if (version === undefined) return [];
  const servedVersions = spec.versions.filter(({ served }) => served).map(({ name }) => name);
  const rewrite = { action: "rewrite", version, servedVersions } as const;
  const others = otherThan(version, status?.storedVersions);
  if (others.length > 0)
    return [
      { ...rewrite, why: `objects may be stored in ${others.join(", ")} instead of ${version}` },
      { action: "prune", storedVersions: [version], why: `all objects are stored in ${version}` },
    ];
  const retired = spec.versions.filter(({ served }) => !served).map(({ name }) => name);
  // Objects of a version that is not served cannot be written again.
  if (retired.length === 0 || isChecked || retired.includes(version)) return [];
  return [{ ...rewrite, why: `${retired.join(", ")} is not served any more, and may still own fields` }];
}

function otherThan(version: string, versions: readonly string[] = []): readonly string[] {
  return versions.filter((one) => one !== version);
}

/** The Service that converts our kinds. */
export interface ConversionService {
  readonly name: string;
  readonly namespace: string;
}

/**
 * The JSON patch by which a CRD trusts the certificates of our webhooks; empty if it does already, or if another server
 * converts its objects.
 */
export function trustPatch(
  { metadata, spec }: Definition,
  { name, namespace }: ConversionService,
  bundle: string,
): readonly object[] {
  const clientConfig = spec.conversion?.webhook?.clientConfig;
  const service = clientConfig?.service;
  if (service?.name !== name || service.namespace !== namespace) return [];
  const value = Buffer.from(bundle).toString("base64");
  if (clientConfig?.caBundle === value) return [];
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    // Another client may have given the conversion to another server meanwhile.
    { op: "test", path: "/spec/conversion/webhook/clientConfig/service/name", value: name },
    { op: "add", path: "/spec/conversion/webhook/clientConfig/caBundle", value },
  ];
}

interface OwnerEntry {
  readonly apiVersion?: string;
}

/**
 * The owners of fields of an object without those in versions that are not served; undefined if there are none of them.
 * An empty list would mean that the server keeps all, so at least one entry stays.
 */
export function keptOwners(
  entries: readonly unknown[] | undefined,
  { group, version, servedVersions }: { group: string; version: string; servedVersions: readonly string[] },
): readonly unknown[] | undefined {
  const isServed = ({ apiVersion = "" }: OwnerEntry): boolean =>
    !apiVersion.startsWith(`${group}/`) || servedVersions.includes(apiVersion.slice(group.length + 1));
  const kept = (entries ?? []).filter((entry) => isServed(entry as OwnerEntry));
  if (kept.length === (entries ?? []).length) return undefined;
  return kept.length > 0 ? kept : [seedOwner(`${group}/${version}`)];
}

/** An owner of nothing but the name: an object without any entry would get one for all of its fields at its next apply. */
function seedOwner(apiVersion: string): object {
  return {
    manager: "capstan-migration",
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:name": {} } },
  };
}
