import {
  type Cluster,
  CLUSTER_NAME_LABEL,
  deepEqual,
  ensureOwnerReference,
  type Frozen,
  type OwnerReference,
  ownerReferenceTo,
  type Secret,
} from "@capstan/api";

/** The type of Secrets that belong to a Cluster. */
const SECRET_TYPE = "cluster.x-k8s.io/secret";
const PORT = 6443;

/** A Cluster, its related objects, and the address of its logical cluster. */
export interface Scene {
  readonly cluster: Frozen<Cluster>;
  readonly kubeconfig: string;
  readonly secret: Frozen<Secret> | undefined;
}

/** The next write for a Cluster, and why. */
export type ClusterAction =
  | { readonly do: "createSecret"; readonly secret: Secret; readonly why: string }
  | { readonly do: "patchSecret"; readonly name: string; readonly patch: object; readonly why: string }
  | { readonly do: "setEndpoint"; readonly endpoint: Endpoint; readonly why: string };

/** The address of an API server. */
interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Annotation of a Cluster whose control plane is simulated, whatever kind it refers to: those of scenarios have no machines. */
export const STAND_IN_ANNOTATION = "capstan.dev/simulated-control-plane";

/** A kind of control plane, in whatever version. */
export interface ControlPlaneKind {
  readonly group: string;
  readonly kind: string;
}

/** Whether a controller of ours makes the control plane of the Cluster, so that nothing stands in for it. */
export function isControlled(
  { spec, metadata }: Frozen<Cluster>,
  kinds: readonly ControlPlaneKind[],
): boolean {
  const { controlPlaneRef } = spec;
  if (metadata.annotations?.[STAND_IN_ANNOTATION] !== undefined) return false;
  return kinds.some(
    ({ kind, group }) => kind === controlPlaneRef?.kind && group === controlPlaneRef.apiGroup,
  );
}

/** Decides which objects a Cluster with a running logical cluster still needs; none when it is settled. */
export function decideWrites(scene: Scene): ClusterAction[] {
  return [...endpointWrites(scene.cluster), ...secretWrites(scene)];
}

/** The name of a Cluster's kubeconfig Secret. */
export function kubeconfigSecretName(cluster: Frozen<Cluster>): string {
  return `${cluster.metadata.name}-kubeconfig`;
}

/** The endpoint of a Cluster in lower case, as machines use it; undefined while it has none. */
export function endpointOf({ spec }: Frozen<Cluster>): string | undefined {
  const { host = "", port = 0 } = spec.controlPlaneEndpoint ?? {};
  return host === "" || port === 0 ? undefined : `${host}:${port}`.toLowerCase();
}

/** A Cluster with an infrastructureRef gets its endpoint from the infrastructure. */
function endpointWrites(cluster: Frozen<Cluster>): ClusterAction[] {
  if (endpointOf(cluster) !== undefined || cluster.spec.infrastructureRef) return [];
  const { name, namespace = "" } = cluster.metadata;
  const endpoint = { host: `${name}.${namespace}.capstan.internal`, port: PORT };
  return [
    {
      do: "setEndpoint",
      endpoint,
      why: "the Cluster has no endpoint and no infrastructure that gives it one",
    },
  ];
}

function secretWrites({ cluster, kubeconfig, secret }: Scene): ClusterAction[] {
  const { metadata, apiVersion, kind } = cluster;
  const owner = ownerReferenceTo({ apiVersion, kind, metadata });
  const name = kubeconfigSecretName(cluster);
  const labels = { [CLUSTER_NAME_LABEL]: metadata.name };
  const data = { value: Buffer.from(kubeconfig).toString("base64") };
  if (!secret) {
    const { namespace = "" } = metadata;
    const made = { name, namespace, labels, ownerReferences: [owner] };
    const why = "the Cluster has no kubeconfig yet";
    return [
      {
        do: "createSecret",
        secret: { apiVersion: "v1", kind: "Secret", metadata: made, type: SECRET_TYPE, data },
        why,
      },
    ];
  }
  // A Secret of another type belongs to another client, and the type of a Secret cannot be changed.
  if (secret.type !== SECRET_TYPE || isSettled(secret, { labels, data, owner })) return [];
  const { resourceVersion, ownerReferences } = secret.metadata;
  const patch = {
    metadata: { resourceVersion, labels, ownerReferences: ensureOwnerReference(ownerReferences, owner) },
    data,
  };
  return [{ do: "patchSecret", name, patch, why: "the Secret does not lead to the Cluster any more" }];
}

interface Desired {
  readonly labels: Readonly<Record<string, string>>;
  readonly data: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
}

function isSettled({ metadata, data: stored }: Frozen<Secret>, { labels, data, owner }: Desired): boolean {
  const references = metadata.ownerReferences;
  return (
    stored?.["value"] === data["value"] &&
    metadata.labels?.[CLUSTER_NAME_LABEL] === labels[CLUSTER_NAME_LABEL] &&
    deepEqual(ensureOwnerReference(references, owner), references)
  );
}
