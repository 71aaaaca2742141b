import type { Frozen, KubeadmConfig } from "@capstan/api";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

type JoinConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["joinConfiguration"]>;
/** The discovery of a cluster, as users write it. */
export type Discovery = NonNullable<JoinConfiguration["discovery"]>;
type FileDiscovery = NonNullable<Discovery["file"]>;

/** The cluster to join. */
export interface JoinTarget {
  /** HOST:PORT. */
  readonly endpoint: string;
  /** The certificates of the cluster's authority, and their pins; undefined if they are not needed. */
  readonly authority: Authority | undefined;
  /** The token to join with; undefined if the user sets one. */
  readonly token: string | undefined;
}

/** The authority of a cluster. */
export interface Authority {
  readonly pem: string;
  readonly hashes: readonly string[];
}

/** Whether a token must be created; the user may set one, or use another discovery. */
export function needsToken({ file, bootstrapToken }: Discovery): boolean {
  return !file && bootstrapToken?.token === undefined;
}

/** Whether the authority of the cluster must be known. */
export function needsAuthority({ file, bootstrapToken }: Discovery): boolean {
  if (!file)
    return !bootstrapToken?.caCertHashes?.length && bootstrapToken?.unsafeSkipCAVerification !== true;
  const { kubeConfig } = file;
  if (!kubeConfig) return false;
  const { certificateAuthorityData, insecureSkipTLSVerify } = kubeConfig.cluster ?? {};
  return certificateAuthorityData === undefined && insecureSkipTLSVerify !== true;
}

/** The discovery for kubeadm: the user's fields are kept, and missing ones are filled in. */
export function completeDiscovery(given: Discovery, { endpoint, authority, token }: JoinTarget): YamlValue {
  const { file, bootstrapToken, tlsBootstrapToken } = given;
  if (file) return { file: { kubeConfigPath: file.kubeConfigPath }, tlsBootstrapToken };
  const { caCertHashes = [], unsafeSkipCAVerification } = bootstrapToken ?? {};
  return {
    bootstrapToken: {
      token: bootstrapToken?.token ?? token,
      apiServerEndpoint: bootstrapToken?.apiServerEndpoint ?? endpoint,
      caCertHashes: caCertHashes.length > 0 ? caCertHashes : authority?.hashes,
      unsafeSkipCAVerification,
    },
    tlsBootstrapToken,
  };
}

/** The kubeconfig of a discovery by file; undefined when the user provides the file. */
export function discoveryKubeconfig(
  { kubeConfig }: FileDiscovery,
  { endpoint, authority }: JoinTarget,
): string | undefined {
  if (!kubeConfig) return undefined;
  const { cluster = {}, user } = kubeConfig;
  const certificate = authority && Buffer.from(authority.pem).toString("base64");
  const name = "default";
  return yamlOf({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      {
        name,
        cluster: {
          server: cluster.server ?? `https://${endpoint}`,
          "tls-server-name": cluster.tlsServerName,
          "insecure-skip-tls-verify": cluster.insecureSkipTLSVerify,
          "certificate-authority-data": cluster.certificateAuthorityData ?? certificate,
          "proxy-url": cluster.proxyURL,
        },
      },
    ],
    users: [{ name, user: kubeconfigUser(user) }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  });
}

function kubeconfigUser({ exec, authProvider }: NonNullable<FileDiscovery["kubeConfig"]>["user"]): YamlValue {
  return {
    exec: exec && {
      // A kubeconfig requires it, and current kubelets use this version.
      apiVersion: exec.apiVersion ?? "client.authentication.k8s.io/v1",
      command: exec.command,
      args: exec.args,
      env: exec.env?.map(({ name, value }) => ({ name, value })),
      provideClusterInfo: exec.provideClusterInfo,
      interactiveMode: "Never",
    },
    "auth-provider": authProvider && {
      name: authProvider.name,
      config: authProvider.config && sortedFields(authProvider.config),
    },
  };
}

/** The map with sorted keys, so that the output is deterministic. */
export function sortedFields<T>(map: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
