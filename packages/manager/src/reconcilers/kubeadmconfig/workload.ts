import { ConfigMap, Secret } from "@capstan/api";
import { type Client, Failure, isAlreadyExists, transient, waiting } from "@capstan/runtime";
import { CLUSTER_INFO, publishedAuthority } from "../../bootstrap/cluster-info.ts";
import { type JoinToken, tokenSecret, tokenSecretName } from "../../bootstrap/join-token.ts";
import type { Scope } from "./scope.ts";

const SILENT_RETRY_MS = 20_000;
// Cluster API's reason.
const UNAVAILABLE = "WaitingForControlPlaneAvailable";

/** A client of the workload cluster; waits for a control plane that does not answer. */
export async function workloadOf({ ports, cluster }: Scope): Promise<Client> {
  return patiently(cluster.metadata.name, () => ports.workloadClient(cluster));
}

/** Whether the workload cluster has a token with this secret. */
export async function isTokenKnown(scope: Scope, client: Client, token: JoinToken): Promise<boolean> {
  const secret = await patiently(scope.cluster.metadata.name, () =>
    client.find(Secret, tokenSecretName(token)),
  );
  return secret?.data?.["token-secret"] === tokenSecret(token, "").data?.["token-secret"];
}

/** The certificate authority that a cluster publishes to unauthenticated clients; undefined when it publishes none. */
export async function shownAuthority(scope: Scope): Promise<string | undefined> {
  const { cluster, ports } = scope;
  const read = async () =>
    ports.readClusterInfo
      ? ports.readClusterInfo(cluster)
      : (await ports.workloadClient(cluster)).find(ConfigMap, CLUSTER_INFO);
  return publishedAuthority(await patiently(cluster.metadata.name, read));
}

/**
 * Creates a token in the workload cluster, or extends the existing one. The token was written ahead, so a retry creates
 * the same one. Returns false when another client has a token of that id.
 */
export async function makeToken(scope: Scope, client: Client, token: JoinToken): Promise<boolean> {
  const { context, config } = scope;
  const { name, namespace } = config.metadata;
  const secret = tokenSecret(token, `Created by Capstan for KubeadmConfig ${namespace}/${name}`);
  context.assertMayWrite();
  try {
    await client.create(Secret, secret);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw tokenFailure(error);
    return (await isTokenKnown(scope, client, token)) && (await prolong(client, secret));
  }
}

async function prolong(client: Client, { metadata, data }: Secret): Promise<true> {
  try {
    const body = { data: { expiration: data?.["expiration"] } };
    await client.patch(Secret, metadata, { type: "merge", body });
    return true;
  } catch (error) {
    throw tokenFailure(error);
  }
}

/** Errors of the server name the token, which must not appear in conditions, events and logs. */
function tokenFailure(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { reason, retryAfterMs } = error;
  const message = `Could not create the join token in the workload cluster: ${reason}`;
  return transient("JoinTokenFailed", message, retryAfterMs === undefined ? {} : { retryAfterMs });
}

async function patiently<T>(clusterName: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Failure) throw silent(clusterName, error);
    throw error;
  }
}

function silent(clusterName: string, { failure, reason, retryAfterMs }: Failure): Failure {
  const message = `The control plane of Cluster ${JSON.stringify(clusterName)} does not answer: ${reason}`;
  // A Retry-After of the server overrides our own interval.
  if (failure === "Transient" && retryAfterMs !== undefined)
    return transient(UNAVAILABLE, message, { retryAfterMs });
  return waiting(UNAVAILABLE, message, retryAfterMs ?? SILENT_RETRY_MS);
}
