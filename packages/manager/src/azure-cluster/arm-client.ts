import {
  type AzureCluster,
  AzureClusterIdentity,
  type AzureManagedControlPlane,
  type Frozen,
} from "@capstan/api";
import { type CacheReader, Failure, terminal, waiting } from "@capstan/runtime";
import { type Arm, type ArmRequest, AzureError, failureOf } from "@capstan/azure";

/** The Azure clients that a cluster can use. */
export interface AzureClientPorts {
  readonly azure: {
    /** A client with the identity that a cluster names. */
    armFor(request: ArmRequest): Promise<Arm>;
  };
  /** With the manager's own credentials, for clusters that name no identity; undefined when it has none. */
  readonly defaultArm?: (controller: string) => Promise<Arm>;
  /** For clusters that name no subscription. */
  readonly defaultSubscriptionID?: string;
}

/** An object that names the identity and the subscription of a cluster. */
type IdentifiedCluster = Frozen<AzureCluster> | Frozen<AzureManagedControlPlane>;

export interface ArmClientRequest {
  readonly cluster: IdentifiedCluster;
  readonly cache: CacheReader;
  readonly controller: string;
}

const MINUTE_MS = 60_000;

/** A key of the identity that a cluster names; empty for the manager's own. */
export function identityKeyOf(cluster: IdentifiedCluster): string {
  const name = identityNameOf(cluster);
  return name ? `${name.namespace}/${name.name}` : "";
}

/** The identity that a cluster names; undefined when it names none. */
export function identityNameOf({
  metadata,
  spec,
}: IdentifiedCluster): { readonly name: string; readonly namespace: string } | undefined {
  const { name, namespace } = spec.identityRef ?? {};
  return name ? { name, namespace: namespace || (metadata.namespace ?? "") } : undefined;
}

/** The identity of a cluster; undefined when it names none, or one that does not exist. */
export function identityOf(
  cluster: IdentifiedCluster,
  cache: CacheReader,
): Frozen<AzureClusterIdentity> | undefined {
  const name = identityNameOf(cluster);
  return name && cache.get(AzureClusterIdentity, name);
}

/** The subscription of a cluster. Throws a Failure when neither the cluster nor the manager has one. */
export function subscriptionOf(ports: AzureClientPorts, { spec }: IdentifiedCluster): string {
  const id = spec.subscriptionID ?? ports.defaultSubscriptionID;
  if (id) return id;
  const message =
    "spec.subscriptionID is not set, and the manager has no subscription of its own; set one of them";
  throw terminal("SubscriptionMissing", message);
}

/** The resource manager with the identity of a cluster. Throws a Failure when the cluster may not use the identity. */
export async function armClientFor(
  ports: AzureClientPorts,
  { cluster, cache, controller }: ArmClientRequest,
): Promise<Arm> {
  return armClientWith(ports, { cluster, identity: identityOf(cluster, cache), controller });
}

/** The same, with the AzureClusterIdentity as the caller has read it. */
export async function armClientWith(
  ports: AzureClientPorts,
  {
    cluster,
    identity,
    controller,
  }: Omit<ArmClientRequest, "cache"> & { readonly identity: Frozen<AzureClusterIdentity> | undefined },
): Promise<Arm> {
  const reference = identityNameOf(cluster);
  if (!reference) {
    if (ports.defaultArm) return ports.defaultArm(controller);
    const message =
      "spec.identityRef is not set, and the manager has no credentials of its own; name an AzureClusterIdentity";
    throw terminal("IdentityMissing", message);
  }
  if (!identity) {
    const message = `spec.identityRef: AzureClusterIdentity ${JSON.stringify(reference.name)} does not exist in namespace ${reference.namespace}`;
    throw waiting("IdentityNotFound", message);
  }
  const namespace = cluster.metadata.namespace ?? "";
  try {
    return await ports.azure.armFor({ identity, namespace, controller });
  } catch (error) {
    throw loginFailure(error);
  }
}

function loginFailure(error: unknown): unknown {
  if (error instanceof AzureError && error.code === "NamespaceNotAllowed") {
    const options = { message: error.message, cause: error, retryAfterMs: MINUTE_MS };
    return new Failure("Transient", "NamespaceNotAllowedByIdentity", options);
  }
  return failureOf(error, "logging in to Azure");
}
