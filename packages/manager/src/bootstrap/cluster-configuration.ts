import type { Cluster, Frozen, KubeadmConfig } from "@capstan/api";
import { sortedFields } from "./discovery.ts";
import { argumentsOf, type KubeadmApiVersion } from "./join-configuration.ts";
import type { YamlValue } from "./yaml-text.ts";

/** The configuration of a cluster for kubeadm, as users write it. */
export type ClusterConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["clusterConfiguration"]>;

/** What a Cluster and a Machine add to the configuration. */
export interface ClusterFacts {
  readonly clusterName: string;
  /** HOST:PORT. */
  readonly endpoint: string;
  /** The version of Kubernetes, with its v. */
  readonly kubernetesVersion: string;
  readonly network: Frozen<Cluster>["spec"]["clusterNetwork"];
}

type Fields = Readonly<Record<string, YamlValue | undefined>>;

/** The ClusterConfiguration document. The user's fields are kept; those of the Cluster and the Machine fill the rest. */
export function clusterConfigurationDocument(
  given: ClusterConfiguration,
  facts: ClusterFacts,
  version: KubeadmApiVersion,
): Fields {
  return {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: "ClusterConfiguration",
    clusterName: facts.clusterName,
    kubernetesVersion: facts.kubernetesVersion,
    controlPlaneEndpoint: given.controlPlaneEndpoint ?? facts.endpoint,
    certificatesDir: given.certificatesDir,
    imageRepository: given.imageRepository,
    featureGates: given.featureGates && sortedFields(given.featureGates),
    networking: networkingOf(given, facts),
    ...componentDocuments(given, version),
    dns: given.dns && { imageRepository: given.dns.imageRepository, imageTag: given.dns.imageTag },
    // The older kubeadm does not have these fields.
    ...(version !== "v1beta3" && {
      encryptionAlgorithm: given.encryptionAlgorithm,
      certificateValidityPeriod: durationOf(given.certificateValidityPeriodDays),
      caCertificateValidityPeriod: durationOf(given.caCertificateValidityPeriodDays),
    }),
  };
}

/** The parts of the configuration that KubeadmControlPlanes change during the life of a cluster. */
export function componentDocuments(given: ClusterConfiguration, version: KubeadmApiVersion): Fields {
  const { apiServer } = given;
  return {
    apiServer: apiServer && {
      ...componentOf(apiServer, version),
      certSANs: apiServer.certSANs,
      timeoutForControlPlane: version === "v1beta3" ? apiServer.timeoutForControlPlane : undefined,
    },
    controllerManager: given.controllerManager && componentOf(given.controllerManager, version),
    scheduler: given.scheduler && componentOf(given.scheduler, version),
    etcd: given.etcd && etcdOf(given.etcd, version),
  };
}

type Component = NonNullable<ClusterConfiguration["scheduler"]>;

function componentOf({ extraArgs, extraVolumes, extraEnvs }: Component, version: KubeadmApiVersion): Fields {
  return {
    extraArgs: extraArgs && argumentsOf(extraArgs, version),
    extraVolumes: extraVolumes?.map(({ name, hostPath, mountPath, readOnly, pathType }) => ({
      name,
      hostPath,
      mountPath,
      readOnly,
      pathType,
    })),
    extraEnvs: version === "v1beta3" ? undefined : extraEnvs,
  };
}

function etcdOf(
  { local, external }: NonNullable<ClusterConfiguration["etcd"]>,
  version: KubeadmApiVersion,
): Fields {
  if (external) {
    const { endpoints, caFile, certFile, keyFile } = external;
    return { external: { endpoints, caFile, certFile, keyFile } };
  }
  return {
    local: local && {
      imageRepository: local.imageRepository,
      imageTag: local.imageTag,
      dataDir: local.dataDir,
      extraArgs: local.extraArgs && argumentsOf(local.extraArgs, version),
      extraEnvs: version === "v1beta3" ? undefined : local.extraEnvs,
      serverCertSANs: local.serverCertSANs,
      peerCertSANs: local.peerCertSANs,
    },
  };
}

function networkingOf({ networking = {} }: ClusterConfiguration, { network = {} }: ClusterFacts): Fields {
  return {
    dnsDomain: networking.dnsDomain ?? network.serviceDomain,
    serviceSubnet: networking.serviceSubnet ?? joined(network.services?.cidrBlocks),
    podSubnet: networking.podSubnet ?? joined(network.pods?.cidrBlocks),
  };
}

function joined(blocks: readonly string[] | undefined): string | undefined {
  return blocks && blocks.length > 0 ? blocks.join(",") : undefined;
}

/** Days in Go's notation. */
function durationOf(days: number | undefined): string | undefined {
  return days === undefined ? undefined : `${days * 24}h0m0s`;
}
