import {
  Cluster,
  type CustomKind,
  type CustomResourceDefinition,
  ExtensionConfig,
  type Frozen,
  KubeadmConfig,
  KubeadmControlPlane,
  AzureCluster,
  type Lease,
} from "@capstan/api";

/** The observations about other providers in a management cluster. */
export interface Neighbourhood {
  /** The kinds that are to be ours. */
  readonly kinds: readonly CustomKind[];
  /** All definitions. */
  readonly definitions: readonly Frozen<CustomResourceDefinition>[];
  /** All Leases. */
  readonly leases: readonly Frozen<Lease>[];
  readonly nowMs: number;
}

/** The label that names the installer of a definition. */
const MANAGED_BY = "app.kubernetes.io/managed-by";
/** Capstan's value of the label. */
const CAPSTAN = "capstan";
const PROVIDER = "cluster.x-k8s.io/provider";

/** A provider that reconciles kinds of ours, too. */
interface OtherProvider {
  readonly provider: string;
  /** The API groups of its kinds. */
  readonly groups: readonly string[];
}

/** Other providers, by the names of their Leases. */
const FOREIGN_LEASES: Readonly<Record<string, OtherProvider>> = {
  "controller-leader-election-capi": {
    provider: "Cluster API",
    groups: [Cluster.group, ExtensionConfig.group],
  },
  "kubeadm-bootstrap-manager-leader-election-capi": {
    provider: "Cluster API's kubeadm bootstrap provider",
    groups: [KubeadmConfig.group],
  },
  "kubeadm-control-plane-manager-leader-election-capi": {
    provider: "Cluster API's kubeadm control plane provider",
    groups: [KubeadmControlPlane.group],
  },
  "controller-leader-election-capz": {
    provider: "Cluster API's Azure provider",
    groups: [AzureCluster.group],
  },
};

/**
 * Why Capstan's controllers of some kinds must not run here: two controllers that act on the same objects damage them. Each
 * problem names what was found. Providers of other kinds are welcome.
 */
export function coexistenceProblems({ kinds, definitions, ...others }: Neighbourhood): string[] {
  const names = new Set(kinds.map(({ plural, group }) => `${plural}.${group}`));
  const foreign = definitions.flatMap(({ metadata }) => {
    const provider = metadata.labels?.[PROVIDER];
    if (!names.has(metadata.name) || isOurs(metadata) || provider === undefined) return [];
    return [
      `CustomResourceDefinition ${metadata.name} belongs to provider ${JSON.stringify(provider)} and not to capstan`,
    ];
  });
  return [...activeProviders({ kinds, ...others }), ...foreign];
}

/** The other providers that reconcile the same kinds now. */
export function activeProviders({ kinds, leases, nowMs }: Omit<Neighbourhood, "definitions">): string[] {
  const groups = new Set(kinds.map(({ group }) => group));
  return leases.flatMap((lease) => {
    const other = FOREIGN_LEASES[lease.metadata.name];
    if (!other?.groups.some((group) => groups.has(group)) || !isHeld(lease, nowMs)) return [];
    const { namespace, name } = lease.metadata;
    return [
      `${other.provider} is active: ${lease.spec?.holderIdentity} holds the Lease ${namespace}/${name}`,
    ];
  });
}

function isOurs({ labels }: Frozen<CustomResourceDefinition>["metadata"]): boolean {
  return labels?.[MANAGED_BY] === CAPSTAN;
}

function isHeld({ spec }: Frozen<Lease>, nowMs: number): boolean {
  const { holderIdentity, renewTime, leaseDurationSeconds } = spec ?? {};
  return Boolean(holderIdentity) && nowMs < Date.parse(renewTime ?? "") + (leaseDurationSeconds ?? 15) * 1000;
}
