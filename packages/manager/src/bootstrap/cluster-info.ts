import { type ConfigMap, type Frozen, isJsonObject, parseYaml, YamlError } from "@capstan/api";

/** The ConfigMap that kubeadm publishes to unauthenticated clients. */
export const CLUSTER_INFO = { name: "cluster-info", namespace: "kube-public" };

/** The certificate authority that a cluster publishes, as PEM; undefined when it publishes none. */
export function publishedAuthority(info: Frozen<ConfigMap> | undefined): string | undefined {
  const data = authorityData(info);
  return data === undefined ? undefined : Buffer.from(data, "base64").toString("utf8");
}

function authorityData(info: Frozen<ConfigMap> | undefined): string | undefined {
  const config = kubeconfigIn(info?.data?.["kubeconfig"] ?? "");
  const [first] =
    isJsonObject(config) && Array.isArray(config["clusters"]) ? (config["clusters"] as unknown[]) : [];
  const cluster = isJsonObject(first) && isJsonObject(first["cluster"]) ? first["cluster"] : {};
  const data = cluster["certificate-authority-data"];
  return typeof data === "string" && data !== "" ? data : undefined;
}

function kubeconfigIn(text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof YamlError) return undefined;
    throw error;
  }
}
