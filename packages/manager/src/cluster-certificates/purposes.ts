import type { Frozen, KubeadmConfig } from "@capstan/api";

/** What the certificates of a cluster are for; the names are part of the names of their Secrets. */
export type Purpose = "ca" | "etcd" | "proxy" | "sa" | "apiserver-etcd-client";

type ClusterConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["clusterConfiguration"]>;

/** One certificate with its key, or a pair of keys, that every machine of a control plane has on its disk. */
export interface RequiredCertificate {
  readonly purpose: Purpose;
  /** Where kubeadm reads the certificate; for `sa` the public key. */
  readonly certificateFile: string;
  /** Where kubeadm reads the key; undefined where the machine does not need it. */
  readonly keyFile?: string;
  /** Whether Capstan may create it. What belongs to an external etcd comes from users. */
  readonly isMade: boolean;
}

const DEFAULT_DIRECTORY = "/etc/kubernetes/pki";

/** Cluster API's type of Secrets that its controllers make; a Secret of another type belongs to a user. */
export const CLUSTER_SECRET_TYPE = "cluster.x-k8s.io/secret";

/** The name of the Secret for a purpose. */
export function certificateSecretName(cluster: string, purpose: Purpose): string {
  return `${cluster}-${purpose}`;
}

/** The certificates of a control plane, in the order in which they are written to disk. */
export function requiredCertificates({
  certificatesDir = DEFAULT_DIRECTORY,
  etcd,
}: ClusterConfiguration): readonly RequiredCertificate[] {
  const pair = (purpose: Purpose, name: string): RequiredCertificate => ({
    purpose,
    certificateFile: `${certificatesDir}/${name}.crt`,
    keyFile: `${certificatesDir}/${name}.key`,
    isMade: true,
  });
  const external = etcd?.external;
  return [
    pair("ca", "ca"),
    external ? { purpose: "etcd", certificateFile: external.caFile, isMade: false } : pair("etcd", "etcd/ca"),
    pair("proxy", "front-proxy-ca"),
    { ...pair("sa", "sa"), certificateFile: `${certificatesDir}/sa.pub` },
    ...(external
      ? [
          {
            purpose: "apiserver-etcd-client" as const,
            certificateFile: external.certFile,
            keyFile: external.keyFile,
            isMade: false,
          },
        ]
      : []),
  ];
}
