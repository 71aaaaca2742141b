import {
  AzureCluster,
  type AzureClusterIdentity,
  CLUSTER_NAME_LABEL,
  deepEqual,
  type Frozen,
  identitySecret,
  type KubernetesObject,
  ownerReferenceTo,
  Secret,
} from "@capstan/api";
import { type Context, createIfMissing, Sensitive } from "@capstan/runtime";
import type { SecretPorts } from "@capstan/azure";
import { type AzureClientPorts, identityOf, subscriptionOf } from "./arm-client.ts";
import { type CloudLogin, cloudProviderConfig, type MachineIdentity } from "./cloud-provider-config.ts";
import { azureClusterNameOf } from "./members.ts";
import { clusterPlanOf } from "./spec-view.ts";

// A Secret that a user has changed or deleted is repaired at the latest with the resync.
const SECRET_RECHECK_MS = 10 * 60_000;

/** What the config needs besides the cache. */
export interface CloudConfigPorts extends AzureClientPorts {
  readonly readSecret: SecretPorts["readSecret"];
}

/** The pool or template whose machines need the config. */
export interface CloudConfigRequest {
  readonly owner: Frozen<KubernetesObject>;
  readonly machines: MachineIdentity;
  readonly clusterName: string;
  /** What was checked before, from the last answer. */
  readonly checked: CheckedConfig | undefined;
}

/** The input of the last config, and when (monotonic) its Secret was last checked. */
export interface CheckedConfig {
  readonly source: string;
  readonly atMs: number;
}

type Access = Pick<Context<KubernetesObject>, "cache" | "client" | "env">;

/**
 * Keeps the Secret OWNER-azure-json with the configuration of the cloud provider. Manifests written for CAPZ refer to it in
 * their bootstrap config, which waits for it. Returns what was checked, for the next request.
 */
export async function keepCloudConfig(
  ports: CloudConfigPorts,
  access: Access,
  request: CloudConfigRequest,
): Promise<CheckedConfig | undefined> {
  const { owner, machines, clusterName, checked } = request;
  const { namespace } = owner.metadata;
  const name = azureClusterNameOf(access.cache, { name: clusterName, namespace });
  const azureCluster = access.cache.get(AzureCluster, name);
  const identity = azureCluster && identityOf(azureCluster, access.cache);
  if (!identity) return checked;
  const { generation } = azureCluster.metadata;
  // Only the identity of the machines matters: frequent changes of a pool must not cause reads of the Secret.
  const source = JSON.stringify([
    generation,
    identity.metadata.generation,
    machines.identity,
    machines.userAssignedIdentities,
  ]);
  const nowMs = access.env.clock.monotonic();
  if (checked?.source === source && nowMs - checked.atMs < SECRET_RECHECK_MS) return checked;
  const subscriptionID = subscriptionOf(ports, azureCluster);
  const config = cloudProviderConfig({
    machines,
    plan: clusterPlanOf({ azureCluster, clusterName, subscriptionID }),
    login: await loginOf(ports, namespace, identity),
  });
  const isThere = await write(access, request, `${JSON.stringify(config, undefined, 4)}\n`);
  return isThere ? { source, atMs: nowMs } : checked;
}

/** The password of an identity that several namespaces share is not copied into them. */
async function loginOf(
  { readSecret }: CloudConfigPorts,
  namespace: string | undefined,
  identity: Frozen<AzureClusterIdentity>,
): Promise<CloudLogin> {
  const { metadata, spec } = identity;
  const { tenantID, clientID } = spec;
  const login = { tenantID, clientID };
  const isShared = metadata.namespace !== namespace;
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
  { client }: Access,
  { owner, clusterName }: CloudConfigRequest,
  text: string,
): Promise<boolean> {
  const name = `${owner.metadata.name}-azure-json`;
  const { namespace = "" } = owner.metadata;
  const encoded = Buffer.from(text).toString("base64");
  const data = {
    "worker-node-azure.json": encoded,
    "control-plane-azure.json": encoded,
    "azure.json": encoded,
  };
  const existing = await client.find(Secret, { name, namespace });
  if (existing) {
    const isOurs = existing.metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid);
    if (isOurs === true && !deepEqual(existing.data, data))
      await client.patch(Secret, { name, namespace }, { type: "merge", body: { data } });
    return true;
  }
  const labels = { [CLUSTER_NAME_LABEL]: clusterName };
  const metadata = { name, namespace, labels, ownerReferences: [ownerReferenceTo(owner)] };
  return createIfMissing(client, Secret, { metadata, data });
}
