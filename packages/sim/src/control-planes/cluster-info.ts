import { ConfigMap, deepEqual, isJsonObject, parseYaml } from "@capstan/api";
import type { Client } from "@capstan/runtime";

const PLACE = { namespace: "kube-public", name: "cluster-info" };
/**
 * Records which Cluster a logical cluster was created for: another Cluster with the same name must not inherit its objects.
 */
const CLUSTER_UID = "capstan.dev/cluster-uid";

/**
 * The endpoint of a Cluster that is paused. Such a Cluster disappears without a deletion: `clusterctl move` takes it to another
 * management cluster, while its machines and their control plane run on.
 */
const KEPT_AT = "capstan.dev/kept-at";

/** The UID of the Cluster that a logical cluster belongs to; undefined for a new one. */
export async function ownerUid(client: Client): Promise<string | undefined> {
  return (await recordedOwner(client)).uid;
}

/** What a logical cluster says about its Cluster. */
export interface RecordedOwner {
  readonly uid?: string | undefined;
  /** The endpoint at which a Cluster with another UID takes over; undefined unless the Cluster was paused. */
  readonly keptAt?: string | undefined;
}

/** Reads what a logical cluster says about its Cluster. */
export async function recordedOwner(client: Client): Promise<RecordedOwner> {
  const annotations = (await client.find(ConfigMap, PLACE))?.metadata.annotations ?? {};
  return { uid: annotations[CLUSTER_UID], keptAt: annotations[KEPT_AT] };
}

/** Changes what a logical cluster says about its Cluster. */
export async function recordOwner(client: Client, { uid, keptAt }: RecordedOwner): Promise<void> {
  const annotations = { ...(uid !== undefined && { [CLUSTER_UID]: uid }), [KEPT_AT]: keptAt ?? null };
  await client.patch(ConfigMap, PLACE, { type: "merge", body: { metadata: { annotations } } });
}

/** Writes the cluster-info ConfigMap into a logical cluster, as kubeadm does: machines verify the cluster by it. */
export async function publishClusterInfo(
  client: Client,
  { kubeconfig, uid }: { readonly kubeconfig: string; readonly uid: string },
): Promise<void> {
  const annotations = { [CLUSTER_UID]: uid };
  const data = { kubeconfig: anonymous(kubeconfig) };
  const known = await client.find(ConfigMap, PLACE);
  if (!known) {
    await client.create(ConfigMap, { metadata: { ...PLACE, annotations }, data });
    return;
  }
  if (known.metadata.annotations?.[CLUSTER_UID] === uid && deepEqual(known.data, data)) return;
  await client.patch(ConfigMap, PLACE, { type: "merge", body: { metadata: { annotations }, data } });
}

/** What a control plane that `kubeadm init` started publishes: the address of its load balancer and its authority. */
export function publishedKubeconfig({ endpoint, authority }: PublishedCluster): string {
  const data = Buffer.from(authority).toString("base64");
  const cluster = { "certificate-authority-data": data, server: `https://${endpoint}` };
  return JSON.stringify({ clusters: [{ name: "", cluster }] });
}

/** The address and the certificate authority, in PEM, of a control plane. */
export interface PublishedCluster {
  readonly endpoint: string;
  readonly authority: string;
}

/** The endpoint that a logical cluster publishes, HOST:PORT; undefined for a new one. */
export async function publishedEndpoint(client: Client): Promise<string | undefined> {
  return /server: https:\/\/(\S+)/.exec(await publishedText(client))?.[1];
}

async function publishedText(client: Client): Promise<string> {
  return (await client.find(ConfigMap, PLACE))?.data?.["kubeconfig"] ?? "";
}

/** The certificate authority that a logical cluster publishes; undefined for a new one. */
export async function publishedAuthority(client: Client): Promise<string | undefined> {
  const data = /certificate-authority-data: (\S+)/.exec(await publishedText(client))?.[1];
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

/** A kubeconfig without credentials, for machines that have not joined yet: the server's URL and its CA. */
function anonymous(kubeconfig: string): string {
  const config = parseYaml(kubeconfig);
  const [first] =
    isJsonObject(config) && Array.isArray(config["clusters"]) ? (config["clusters"] as unknown[]) : [];
  const cluster = isJsonObject(first) && isJsonObject(first["cluster"]) ? first["cluster"] : {};
  const fields = ["certificate-authority-data", "server"].filter(
    (field) => typeof cluster[field] === "string",
  );
  return `apiVersion: v1
kind: Config
clusters:
- name: ""
  cluster:
${fields.map((field) => `    ${field}: ${String(cluster[field])}\n`).join("")}`;
}
