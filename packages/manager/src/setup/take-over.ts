import {
  type AzureMachinePool,
  AzureCluster,
  type CustomKind,
  type CustomResourceDefinition,
  type Frozen,
  groupOf,
  type KubernetesObject,
} from "@capstan/api";

/** A webhook configuration, as far as a take-over depends on it. */
export interface ReviewConfiguration extends KubernetesObject {
  readonly webhooks?: readonly {
    readonly rules?: readonly { readonly apiGroups?: readonly string[] }[];
  }[];
}

/** What a take-over finds in a management cluster. */
export interface TakeOverView {
  /** The kinds that are to be ours. */
  readonly kinds: readonly CustomKind[];
  readonly definitions: readonly Frozen<CustomResourceDefinition>[];
  readonly configurations: readonly Frozen<ReviewConfiguration>[];
  readonly pools: readonly Frozen<AzureMachinePool>[];
  /** Objects of Azure Service Operator. */
  readonly operatorObjects: readonly Frozen<KubernetesObject>[];
}

const INJECTIONS = ["cert-manager.io/inject-ca-from", "cert-manager.io/inject-ca-from-secret"];
const NAMED = 5;

/**
 * Why kinds cannot be taken over from other providers: what would fail later, or damage clusters. Each problem says what the
 * user has to do first.
 */
export function takeOverProblems(view: TakeOverView): readonly string[] {
  const kinds = new Map(view.kinds.map((kind) => [`${kind.plural}.${kind.group}`, kind]));
  const taken = view.definitions.filter(
    ({ metadata }) =>
      kinds.has(metadata.name) && metadata.labels?.["app.kubernetes.io/managed-by"] !== "capstan",
  );
  const unknown = taken.flatMap((definition) =>
    unknownVersions(definition, kinds.get(definition.metadata.name)),
  );
  return [
    ...problem(
      view.configurations.filter((one) => reviews(one, view.kinds)).map(titleOf),
      (names) =>
        `webhook configurations of other providers would refuse every write, because no provider answers them any more: ${names}; delete them first`,
    ),
    ...problem(
      taken.filter(isInjected).map(titleOf),
      (names) =>
        `cert-manager writes its authority over that of our webhooks, because of the annotation ${INJECTIONS[0]}: ${names}; remove the annotation first`,
    ),
    ...problem(
      unknown,
      (names) =>
        `objects may be stored in versions that Capstan does not have: ${names}; migrate them with the provider that has installed the CRDs first`,
    ),
    ...problem(
      view.operatorObjects.filter(isOwnedByCluster).map(titleOf),
      (names) =>
        `objects of Azure Service Operator belong to AzureClusters: ${names}; when its CRDs or Cluster API's Azure provider are deleted later, Azure would lose the resources; a take-over of such clusters is not supported yet`,
    ),
    ...problem(
      view.pools.filter(isMadeByOthers).map(titleOf),
      (names) =>
        `pools were made by another provider: ${names}; Capstan would replace all of their machines once, because it does not know the models of their scale sets; a take-over of such pools is not supported yet`,
    ),
  ];
}

function problem(names: readonly string[], sentence: (names: string) => string): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return [sentence(names.toSorted().slice(0, NAMED).join(", ") + more)];
}

function titleOf({ kind, metadata: { namespace, name } }: Frozen<KubernetesObject>): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function reviews(
  { metadata, webhooks = [] }: Frozen<ReviewConfiguration>,
  kinds: readonly CustomKind[],
): boolean {
  const groups = new Set(kinds.map(({ group }) => group));
  const isOurs = metadata.labels?.["app.kubernetes.io/managed-by"] === "capstan";
  const asked = webhooks.flatMap(({ rules = [] }) => rules.flatMap(({ apiGroups = [] }) => apiGroups));
  return !isOurs && asked.some((group) => groups.has(group));
}

function isInjected({ metadata }: Frozen<CustomResourceDefinition>): boolean {
  return INJECTIONS.some((name) => metadata.annotations?.[name] !== undefined);
}

function unknownVersions(
  { metadata, status }: Frozen<CustomResourceDefinition>,
  kind: CustomKind | undefined,
): readonly string[] {
  const known = kind
    ? [kind.version, ...kind.alsoServed, ...kind.converted.map(({ version }) => version)]
    : [];
  const stored = (status?.storedVersions ?? []).filter((version) => !known.includes(version));
  return stored.length === 0 ? [] : [`${metadata.name} (${stored.join(", ")})`];
}

function isOwnedByCluster({ metadata }: Frozen<KubernetesObject>): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, apiVersion }) => kind === AzureCluster.kind && groupOf(apiVersion) === AzureCluster.group,
  );
}

/** A scale set exists, and its model is not one of ours. */
function isMadeByOthers({ spec, status }: Frozen<AzureMachinePool>): boolean {
  return spec.providerID !== undefined && status?.modelHash === undefined;
}
