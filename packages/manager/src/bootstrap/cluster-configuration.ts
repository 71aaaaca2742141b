import type { Cluster, Frozen, KubeadmConfig } from "@capstan/api";
import { sortedFields } from "./discovery.ts";
import { argumentsOf, type KubeadmApiVersion, secondsText } from "./join-configuration.ts";
import type { YamlValue } from "./yaml-text.ts";

/** The configuration of a cluster for kubeadm, as users write it. */
type ClusterConfiguration = NonNullable<Frozen<KubeadmConfig>["spec"]["clusterConfiguration"]>;

/** How long the steps of `kubeadm init` may take, as users write it. */
type InitTimeouts = NonNullable<NonNullable<Frozen<KubeadmConfig>["spec"]["initConfiguration"]>["timeouts"]>;

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

/** The parts of a KubeadmConfig that describe the cluster. */
interface KubeadmSpec {
  readonly clusterConfiguration?: ClusterConfiguration | undefined;
  readonly initConfiguration?: { readonly timeouts?: InitTimeouts } | undefined;
}

/** The ClusterConfiguration document. The user's fields are kept; those of the Cluster and the Machine fill the rest. */
export function clusterConfigurationDocument(
  { clusterConfiguration: given = {}, initConfiguration }: KubeadmSpec,
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
    networking: networkingOf(facts),
    ...componentDocuments({ clusterConfiguration: given, initConfiguration }, version),
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
export function componentDocuments(
  { clusterConfiguration: given = {}, initConfiguration }: KubeadmSpec,
  version: KubeadmApiVersion,
): Fields {
  return {
    apiServer: apiServerOf(given.apiServer, initConfiguration?.timeouts, version),
    controllerManager: given.controllerManager && componentOf(given.controllerManager, version),
    scheduler: given.scheduler && componentOf(given.scheduler, version),
    etcd: given.etcd && etcdOf(given.etcd, version),
  };
}

/** The older kubeadm has the timeout of the control plane here; the newer one in a block of its own. */
function apiServerOf(
  given: ClusterConfiguration["apiServer"],
  timeouts: InitTimeouts | undefined,
  version: KubeadmApiVersion,
): Fields | undefined {
  const seconds = timeouts?.controlPlaneComponentHealthCheckSeconds;
  const timeoutForControlPlane = version === "v1beta3" ? secondsText(seconds) : undefined;
  if (!given && timeoutForControlPlane === undefined) return undefined;
  return { ...componentOf(given ?? {}, version), certSANs: given?.certSANs, timeoutForControlPlane };
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

function networkingOf({ network = {} }: ClusterFacts): Fields {
  return {
    dnsDomain: network.serviceDomain,
    serviceSubnet: joined(network.services?.cidrBlocks),
    podSubnet: joined(network.pods?.cidrBlocks),
  };
}

function joined(blocks: readonly string[] | undefined): string | undefined {
  return blocks && blocks.length > 0 ? blocks.join(",") : undefined;
}

/** Days in Go's notation. */
function durationOf(days: number | undefined): string | undefined {
  return days === undefined ? undefined : `${days * 24}h0m0s`;
}
