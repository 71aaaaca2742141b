import type { Frozen, Lease } from "@capstan/api";
import type { CustomResourceDefinition } from "@capstan/api";

/** The observations about other providers in a management cluster. */
export interface Neighbourhood {
  /** The definitions of the kinds that Capstan's controllers act on. */
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

/** The Leases of controllers that act on the same kinds, and their providers. */
const FOREIGN_LEASES: Readonly<Record<string, string>> = {
  "controller-leader-election-capi": "Cluster API",
  "controller-leader-election-capz": "Cluster API's Azure provider",
  "kubeadm-bootstrap-manager-leader-election-capi": "Cluster API's kubeadm bootstrap provider",
};

/**
 * Why Capstan's controllers must not run here: two controllers that act on the same objects damage them. Each problem
 * names what was found.
 */
export function coexistenceProblems({ definitions, leases, nowMs }: Neighbourhood): string[] {
  const foreign = definitions.flatMap(({ metadata }) => {
    const provider = metadata.labels?.[PROVIDER];
    if (metadata.labels?.[MANAGED_BY] === CAPSTAN || provider === undefined) return [];
    return [
      `CustomResourceDefinition ${metadata.name} belongs to provider ${JSON.stringify(provider)} and not to capstan`,
    ];
  });
  const active = leases.flatMap((lease) => {
    const whose = FOREIGN_LEASES[lease.metadata.name];
    if (whose === undefined || !isHeld(lease, nowMs)) return [];
    const { namespace, name } = lease.metadata;
    return [`${whose} is active: ${lease.spec?.holderIdentity} holds the Lease ${namespace}/${name}`];
  });
  return [...active, ...foreign];
}

function isHeld({ spec }: Frozen<Lease>, nowMs: number): boolean {
  const { holderIdentity, renewTime, leaseDurationSeconds } = spec ?? {};
  return Boolean(holderIdentity) && nowMs < Date.parse(renewTime ?? "") + (leaseDurationSeconds ?? 15) * 1000;
}
