import { type Cluster, CLUSTER_NAME_LABEL, type Frozen, type Secret } from "@capstan/api";
import { type Failure, terminal, waiting } from "@capstan/runtime";
import { type KubeconfigFacts, readKubeconfig } from "./kubeconfig.ts";

const COME_BACK_MS = 10_000;

/** The name of the Secret with the kubeconfig of a Cluster. */
export function kubeconfigSecretName(cluster: string): string {
  return `${cluster}-kubeconfig`;
}

/** The content of a kubeconfig Secret, provided that it belongs to this Cluster and points to it. */
export function factsOf(
  secret: Frozen<Secret>,
  cluster: Frozen<Cluster>,
  trustedOrigins: readonly string[],
): KubeconfigFacts {
  const { name, namespace = "", labels } = secret.metadata;
  const origin = `Secret ${namespace}/${name}`;
  const owner = labels?.[CLUSTER_NAME_LABEL] ?? cluster.metadata.name;
  if (owner !== cluster.metadata.name) {
    throw refused(`${origin} belongs to Cluster ${owner}, according to its label ${CLUSTER_NAME_LABEL}`);
  }
  const value = secret.data?.["value"];
  if (!value) throw refused(`${origin} has no data.value; put the kubeconfig there`);
  const facts = readKubeconfig(Buffer.from(value, "base64").toString(), origin);
  checkServer(facts, cluster, { origin, trustedOrigins });
  return facts;
}

/** A kubeconfig must not point to any server but that of its cluster. */
function checkServer(
  { server }: KubeconfigFacts,
  { metadata, spec }: Frozen<Cluster>,
  { origin, trustedOrigins }: { readonly origin: string; readonly trustedOrigins: readonly string[] },
): void {
  const { hostname, host, origin: serverOrigin } = new URL(server);
  if (trustedOrigins.includes(serverOrigin)) return;
  const endpoint = spec.controlPlaneEndpoint?.host ?? "";
  if (endpoint === "") {
    const message = `spec.controlPlaneEndpoint of Cluster ${metadata.name} is not set yet`;
    throw waiting("WaitingForControlPlaneEndpoint", message, COME_BACK_MS);
  }
  if (bare(hostname) === bare(endpoint.toLowerCase())) return;
  const expected = `but spec.controlPlaneEndpoint.host of the Cluster is ${JSON.stringify(endpoint)}`;
  throw refused(`${origin}: server points to ${JSON.stringify(host)}, ${expected}`);
}

/** An IPv6 address is in brackets in a URL and without them elsewhere. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

function refused(message: string): Failure {
  return terminal("KubeconfigRefused", message);
}
