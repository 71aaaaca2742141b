import type { CustomResourceDefinition, Frozen } from "@capstan/api";
import { CERTIFICATE_SECRET } from "@capstan/manager";
import { inOrder, installation } from "./installation.ts";
import { inNamespace, LEASE, type Manifest } from "./names.ts";

/** One of our CRDs in a management cluster. */
export interface InstalledDefinition {
  readonly definition: Frozen<CustomResourceDefinition>;
  /** How many objects it has. */
  readonly objects: number;
}

/** What a user asked to remove beside the manager. */
export interface RemovalOptions {
  readonly includeCrd: boolean;
  readonly includeNamespace: boolean;
  /** Deletes all objects of our kinds, and with them the clusters and their machines in Azure. */
  readonly deleteObjects: boolean;
  /** Leaves objects without a manager. */
  readonly keepObjects: boolean;
}

/** One step of a removal. */
export type RemovalStep =
  | { readonly action: "deleteObject"; readonly manifest: Manifest }
  /** Deletes all clusters, and waits until the manager has deleted their machines. */
  | { readonly action: "deleteClusters" }
  /** Deletes CRDs with their objects, and waits for them. */
  | { readonly action: "deleteDefinitions"; readonly names: readonly string[] }
  /** Leaves a CRD that needs no conversion any more: only its stored version is served. */
  | {
      readonly action: "stopConversion";
      readonly definition: Frozen<CustomResourceDefinition>;
      readonly version: string;
    };

/** The steps in their order, or why nothing is removed. */
export type Removal =
  | { readonly state: "refused"; readonly why: string }
  | { readonly state: "planned"; readonly steps: readonly RemovalStep[] };

/**
 * Plans the removal of an installation, in the reverse order of `capstan init`: admission, then CRDs while the manager still
 * converts their objects and finishes their deletion, then the manager, its Services, its permissions and its certificates.
 */
export function planRemoval(installed: readonly InstalledDefinition[], options: RemovalOptions): Removal {
  const why = refusal(installed, options);
  if (why !== undefined) return { state: "refused", why };
  const deletions = inOrder(installation("")).toReversed();
  const isReview = ({ kind }: Manifest): boolean => kind.endsWith("WebhookConfiguration");
  // The Deployment goes before what its pods need. The namespace may hold Secrets of users.
  const isFirst = ({ kind }: Manifest): boolean => kind === "Deployment" || kind === "PodDisruptionBudget";
  const isLast = ({ kind }: Manifest): boolean => kind === "Namespace";
  const rest = deletions.filter((one) => !isReview(one) && !isFirst(one) && !isLast(one));
  const steps = (manifests: readonly Manifest[]): readonly RemovalStep[] =>
    manifests.map((manifest) => ({ action: "deleteObject", manifest }));
  return {
    state: "planned",
    steps: [
      ...steps(deletions.filter(isReview)),
      ...(options.deleteObjects ? clusterSteps(installed) : []),
      ...definitionSteps(installed, options),
      ...steps([...deletions.filter(isFirst), ...rest, ...MADE_BY_THE_MANAGER]),
      ...(options.includeNamespace ? steps(deletions.filter(isLast)) : []),
    ],
  };
}

/** Objects that no manifest has. */
const MADE_BY_THE_MANAGER: readonly Manifest[] = [
  { apiVersion: "v1", kind: "Secret", metadata: inNamespace(CERTIFICATE_SECRET) },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: inNamespace(LEASE) },
];

/** Clusters go while all CRDs are there, so that the manager deletes their machines in its usual order. */
function clusterSteps(installed: readonly InstalledDefinition[]): readonly RemovalStep[] {
  return installed.some(isCluster) ? [{ action: "deleteClusters" }] : [];
}

const isCluster = ({ definition, objects }: InstalledDefinition): boolean =>
  definition.metadata.name === "clusters.cluster.x-k8s.io" && objects > 0;

function definitionSteps(
  installed: readonly InstalledDefinition[],
  { includeCrd }: RemovalOptions,
): readonly RemovalStep[] {
  const names = installed.map(({ definition }) => definition.metadata.name);
  if (includeCrd) return names.length > 0 ? [{ action: "deleteDefinitions", names }] : [];
  return installed
    .filter(({ definition }) => definition.spec.conversion?.strategy === "Webhook")
    .map(({ definition }) => ({
      action: "stopConversion",
      definition,
      version: storageVersion(definition),
    }));
}

/** Why nothing is removed; undefined if the user has asked for all that would happen. */
function refusal(installed: readonly InstalledDefinition[], options: RemovalOptions): string | undefined {
  const { includeCrd, deleteObjects, keepObjects } = options;
  if (deleteObjects && !includeCrd) return "--delete-objects needs --include-crd";
  if (includeCrd && keepObjects) return "--include-crd deletes all objects, so it excludes --keep-objects";
  const used = installed.filter(({ objects }) => objects > 0);
  if (used.length === 0) return undefined;
  if (includeCrd) return deleteObjects ? undefined : mustDelete(used);
  return keepObjects ? unmigrated(used) : mustKeep(used);
}

function mustDelete(used: readonly InstalledDefinition[]): string {
  return `objects exist: ${counts(used)}; deleting the CRDs deletes them, and the clusters with their machines in Azure: delete the clusters first, or give --delete-objects`;
}

function mustKeep(used: readonly InstalledDefinition[]): string {
  return `objects exist: ${counts(used)}; without the manager their machines stay in Azure, and no controller works on them: delete the clusters first, or give --keep-objects, or --include-crd --delete-objects`;
}

/** Objects of another stored version than the one that is served could never be read again. */
function unmigrated(used: readonly InstalledDefinition[]): string | undefined {
  const behind = used.filter(({ definition }) => {
    const version = storageVersion(definition);
    return (definition.status?.storedVersions ?? []).some((stored) => stored !== version);
  });
  if (behind.length === 0) return undefined;
  const names = behind.map(({ definition }) => definition.metadata.name).join(", ");
  return `${names}: objects are still stored in an older version, which only the manager converts; wait until it has migrated them (status.storedVersions has one version), then repeat this`;
}

function counts(used: readonly InstalledDefinition[]): string {
  return used.map(({ definition, objects }) => `${objects} ${definition.spec.names.plural}`).join(", ");
}

function storageVersion({ spec }: Frozen<CustomResourceDefinition>): string {
  return spec.versions.find(({ storage }) => storage)?.name ?? "";
}

/** A step as a line for users, in the form of an order or of a report. */
export function described(step: RemovalStep): string {
  switch (step.action) {
    case "deleteObject": {
      const { kind, metadata } = step.manifest;
      return `${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`;
    }
    case "deleteClusters":
      return "all Clusters, with their machines in Azure";
    case "deleteDefinitions":
      return `${step.names.length} CRDs with their objects: ${step.names.join(", ")}`;
    case "stopConversion":
      return `the conversion of ${step.definition.metadata.name}: only ${step.version} is served from now on`;
  }
}

/** The JSON patch by which a CRD needs no conversion. Objects of an older version that another client writes are refused. */
export function withoutConversion({ metadata, spec }: Frozen<CustomResourceDefinition>): readonly object[] {
  return [
    { op: "test", path: "/metadata/uid", value: metadata.uid },
    ...spec.versions.flatMap(({ name, storage }, index) => [
      { op: "test", path: `/spec/versions/${index}/name`, value: name },
      { op: "replace", path: `/spec/versions/${index}/served`, value: storage },
    ]),
    { op: "replace", path: "/spec/conversion", value: { strategy: "None" } },
  ];
}
