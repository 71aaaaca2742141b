import {
  AzureCluster,
  type AzureClusterIdentity,
  type AzureMachinePool,
  Cluster,
  CLUSTER_NAME_LABEL,
  deepEqual,
  type Frozen,
  identitySecret,
  type KubernetesObject,
  ownerReferenceTo,
  Secret,
} from "@capstan/api";
import { type Context, isAlreadyExists, Sensitive } from "@capstan/runtime";
import { identityOf, subscriptionOf } from "../../azure-cluster/arm-client.ts";
import { type CloudLogin, cloudProviderConfig } from "./cloud-provider-config.ts";
import type { AzureMachinePoolPorts, Shared } from "./scope.ts";
import { clusterPlanOf } from "./wanted-model.ts";

// A Secret that a user has changed or deleted is repaired at the latest with the resync.
const SECRET_RECHECK_MS = 10 * 60_000;

/**
 * Keeps the Secret POOL-azure-json with the configuration of the cloud provider. Manifests written for CAPZ refer to it in
 * their bootstrap config, which waits for it.
 */
export async function keepCloudConfig(
  { ports, memory }: Shared,
  context: Context<AzureMachinePool>,
  clusterName: string,
): Promise<void> {
  const { object: pool, cache, env } = context;
  const azureCluster = azureClusterOf(context, clusterName);
  const identity = azureCluster && identityOf(azureCluster, cache);
  if (!identity) return;
  const known = memory.of(pool.metadata.uid ?? "");
  // Only the identity of the pool matters: frequent changes of its template must not cause reads of the Secret.
  const { identity: own, userAssignedIdentities } = pool.spec;
  const source = JSON.stringify([
    generationOf(azureCluster),
    generationOf(identity),
    own,
    userAssignedIdentities,
  ]);
  const nowMs = env.clock.monotonic();
  if (known.cloudConfig?.source === source && nowMs - known.cloudConfig.atMs < SECRET_RECHECK_MS) return;
  const subscriptionID = subscriptionOf(ports, azureCluster);
  const config = cloudProviderConfig({
    pool,
    plan: clusterPlanOf({ azureCluster, clusterName, subscriptionID }),
    login: await loginOf(ports, pool, identity),
  });
  const isThere = await write(context, clusterName, `${JSON.stringify(config, undefined, 4)}\n`);
  if (isThere) known.cloudConfig = { source, atMs: nowMs };
}

function generationOf({ metadata }: Frozen<KubernetesObject>): number | undefined {
  return metadata.generation;
}

function azureClusterOf(
  { object, cache }: Context<AzureMachinePool>,
  clusterName: string,
): Frozen<AzureCluster> | undefined {
  const { namespace } = object.metadata;
  const cluster = cache.get(Cluster, { name: clusterName, namespace });
  return cache.get(AzureCluster, { name: cluster?.spec.infrastructureRef?.name ?? "", namespace });
}

/** The password of an identity that several namespaces share is not copied into them. */
async function loginOf(
  { readSecret }: AzureMachinePoolPorts,
  pool: Frozen<AzureMachinePool>,
  identity: Frozen<AzureClusterIdentity>,
): Promise<CloudLogin> {
  const { metadata, spec } = identity;
  const { tenantID, clientID } = spec;
  const login = { tenantID, clientID };
  const isShared = metadata.namespace !== pool.metadata.namespace;
  const reference = identitySecret(identity);
  // Login reports a Secret that must not be read; here it is only left out.
  if (
    isShared ||
    !reference ||
    reference.problem !== undefined ||
    spec.type === "ServicePrincipalCertificate"
  )
    return login;
  const secret = await readSecret(reference.namespace, reference.name);
  const password = secret?.data?.["clientSecret"];
  if (password === undefined) return login;
  return { ...login, clientSecret: new Sensitive(Buffer.from(password, "base64").toString("utf8").trim()) };
}

/** A Secret of that name with another owner is left alone. False when the next pass has to try again. */
async function write(
  context: Context<AzureMachinePool>,
  clusterName: string,
  text: string,
): Promise<boolean> {
  const { object: pool, client } = context;
  const name = `${pool.metadata.name}-azure-json`;
  const { namespace = "" } = pool.metadata;
  const encoded = Buffer.from(text).toString("base64");
  const data = {
    "worker-node-azure.json": encoded,
    "control-plane-azure.json": encoded,
    "azure.json": encoded,
  };
  const existing = await client.find(Secret, { name, namespace });
  if (existing) {
    const isOurs = existing.metadata.ownerReferences?.some(({ uid }) => uid === pool.metadata.uid);
    if (isOurs === true && !deepEqual(existing.data, data))
      await client.patch(Secret, { name, namespace }, { type: "merge", body: { data } });
    return true;
  }
  const labels = { [CLUSTER_NAME_LABEL]: clusterName };
  const metadata = { name, namespace, labels, ownerReferences: [ownerReferenceTo(pool)] };
  try {
    await client.create(Secret, { metadata, data });
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return false;
  }
}
