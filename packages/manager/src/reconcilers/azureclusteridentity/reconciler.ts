import { AzureCluster, AzureClusterIdentity, type Frozen, Secret } from "@capstan/api";
import {
  type CacheReader,
  type Context,
  defineReconciler,
  isMoreThanStatus,
  next,
  type ObjectName,
  on,
  type Outcome,
  type Reconciler,
  waiting,
} from "@capstan/runtime";
import { AzureError, findProof } from "@capstan/azure";
import { identityNameOf } from "../../azure-cluster/arm-client.ts";
import { clustersByIdentity, clustersOf } from "../../azure-cluster/members.ts";

// The manager does not watch Secrets.
const SECRET_MS = 60_000;
const NAMED = 3;
// Hundreds of clusters may use one identity and be deleted together.
const REST_MS = 5_000;

/**
 * Keeps an identity as long as a cluster uses it: `kubectl delete -f` of all objects deletes the identity first, and then
 * the cluster's resources in Azure could not be deleted.
 */
export function azureClusterIdentityReconciler(): Reconciler {
  return defineReconciler<AzureClusterIdentity, Context<AzureClusterIdentity>>({
    name: "azureclusteridentity",
    for: AzureClusterIdentity,
    finalizer: "azureclusteridentity.infrastructure.cluster.x-k8s.io",
    indexes: [clustersByIdentity],
    watches: [on(AzureCluster, leavingIdentityOf, { predicate: isMoreThanStatus })],
    minReconcileIntervalMs: () => REST_MS,
    scope: (context) => context,
    normal: [checkSecret],
    deleting: [awaitClusters],
  });
}

/** Reports whether the Secret of an identity exists; clusters find other problems when they get a token. */
async function checkSecret({ object, client }: Context<AzureClusterIdentity>): Promise<Outcome> {
  const { clientSecret, certPath } = object.spec;
  if (clientSecret?.name === undefined || certPath !== undefined) return next;
  try {
    await findProof(object, {
      readSecret: (namespace, name) => client.find(Secret, { name, namespace }),
      readFile: () => Promise.reject(new Error("the credentials of the identity are in a Secret")),
    });
    return next;
  } catch (error) {
    if (!(error instanceof AzureError)) throw error;
    throw waiting(error.code, error.message, SECRET_MS);
  }
}

/** Only an identity that is being deleted needs to know which clusters use it. */
function leavingIdentityOf(cluster: Frozen<AzureCluster>, cache: CacheReader): readonly ObjectName[] {
  const name = identityNameOf(cluster);
  const identity = name && cache.get(AzureClusterIdentity, name);
  return identity?.metadata.deletionTimestamp === undefined ? [] : [identity.metadata];
}

function awaitClusters({ object, cache }: Context<AzureClusterIdentity>): Outcome {
  const { name, namespace } = object.metadata;
  const names = clustersOf(cache, { name, namespace }).map(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  );
  if (names.length === 0) return next;
  const shown = names.toSorted().slice(0, NAMED).join(", ");
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  const message = `Waiting until no AzureCluster uses this identity any more: ${shown}${more}`;
  throw waiting("IdentityInUse", message);
}
