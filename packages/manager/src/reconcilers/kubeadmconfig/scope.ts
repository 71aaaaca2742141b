import {
  AzureMachinePool,
  Cluster,
  type ConfigMap,
  CONTROL_PLANE_LABEL,
  type Frozen,
  groupOf,
  type KubeadmConfig,
  Machine,
  MachinePool,
} from "@capstan/api";
import { type Client, type Context, type Editable, explainedBy, terminal, waiting } from "@capstan/runtime";
import type { SecretPorts } from "@capstan/azure";
import { type KubeadmApiVersion, kubeadmApiVersion } from "../../bootstrap/join-configuration.ts";
import { machinePolicy, poolPolicy, type TokenPolicy } from "./token-policy.ts";

export interface KubeadmConfigPorts {
  /** A client of the Cluster's workload cluster; throws while it does not answer. */
  workloadClient(cluster: Frozen<Cluster>): Promise<Client>;
  /** Reads a Secret that all configs of a cluster share, at most some seconds old; without it each pass reads it again. */
  readonly readSecret?: SecretPorts["readSecret"];
  /** The same for the ConfigMap that the workload cluster publishes to machines that join. */
  readonly readClusterInfo?: (cluster: Frozen<Cluster>) => Promise<Frozen<ConfigMap> | undefined>;
}

/** What the machine of a config becomes. */
type BootstrapRole = "worker" | "init" | "control-plane";

/** One pass over one KubeadmConfig. */
export interface Scope {
  readonly context: Context<KubeadmConfig>;
  readonly config: Editable<KubeadmConfig>;
  readonly ports: KubeadmConfigPorts;
  readonly cluster: Frozen<Cluster>;
  readonly endpoint: string;
  readonly version: KubeadmApiVersion;
  /** The version of Kubernetes, with its v. */
  readonly kubernetesVersion: string;
  readonly role: BootstrapRole;
  /** The Machine that the data is for; empty for the machines of a pool. */
  readonly machineName: string;
  readonly policy: TokenPolicy;
}

/** CAPI's condition of the Secret with the data. */
export const DATA_SECRET_AVAILABLE = "DataSecretAvailable";
/** CAPI's condition of the certificates that the data pins. */
export const CERTIFICATES_AVAILABLE = "CertificatesAvailable";

/** The object that the data is for. */
interface Owner {
  readonly text: string;
  readonly clusterName: string;
  readonly kubernetesVersion: string | undefined;
  readonly versionField: string;
  readonly machineName: string;
  readonly isControlPlane: boolean;
  readonly policy: TokenPolicy;
}

/** Finds the owner of the data and its cluster. Throws with a reason while one is missing. */
export function buildScope(ports: KubeadmConfigPorts, context: Context<KubeadmConfig>): Scope {
  const { object: config } = context;
  try {
    const owner = ownerOf(context);
    const role = roleOf(config, owner);
    const { cluster, endpoint } = clusterOf(context, owner);
    const { policy, machineName, kubernetesVersion = "" } = owner;
    const rest = { cluster, endpoint, policy, role, machineName, kubernetesVersion };
    return { context, config, ports, version: versionOf(owner), ...rest };
  } catch (error) {
    throw noData(context, error);
  }
}

/** Sets the condition that explains why the data is missing or old, and returns the failure to throw. */
export function noData(context: Pick<Context<KubeadmConfig>, "setCondition">, error: unknown): unknown {
  return explainedBy(context, DATA_SECRET_AVAILABLE, error);
}

/** A KubeadmControlPlane sets joinConfiguration.controlPlane for every machine but the first. */
function roleOf({ spec }: Frozen<KubeadmConfig>, { isControlPlane, text }: Owner): BootstrapRole {
  const joinsControlPlane = spec.joinConfiguration?.controlPlane !== undefined;
  if (isControlPlane) return joinsControlPlane ? "control-plane" : "init";
  if (!joinsControlPlane) return "worker";
  const message = `spec.joinConfiguration.controlPlane is set, but ${text} is a worker: it does not have the label ${CONTROL_PLANE_LABEL}; remove the field`;
  throw terminal("DataSecretGenerationFailed", message);
}

function ownerOf({ object, cache }: Context<KubeadmConfig>): Owner {
  for (const { apiVersion, kind, name } of object.metadata.ownerReferences ?? []) {
    if (groupOf(apiVersion) !== Cluster.group) continue;
    const place = { name, namespace: object.metadata.namespace };
    const owner =
      kind === MachinePool.kind
        ? poolOwner(cache, place)
        : kind === Machine.kind
          ? machineOwner(cache, place)
          : undefined;
    if (owner) return owner;
  }
  const message = "No MachinePool or Machine refers to this KubeadmConfig in bootstrap.configRef yet";
  throw waiting("WaitingForOwner", message);
}

type Cache = Context<KubeadmConfig>["cache"];
interface Place {
  readonly name: string;
  readonly namespace: string | undefined;
}

function poolOwner(cache: Cache, place: Place): Owner | undefined {
  const pool = cache.get(MachinePool, place);
  if (!pool) return undefined;
  const { clusterName, version, infrastructureRef } = pool.spec.template.spec;
  const infrastructure = cache.get(AzureMachinePool, {
    name: infrastructureRef.name,
    namespace: place.namespace,
  });
  return {
    text: `MachinePool ${JSON.stringify(place.name)}`,
    clusterName,
    kubernetesVersion: version,
    versionField: "spec.template.spec.version",
    machineName: "",
    isControlPlane: false,
    policy: poolPolicy(pool, infrastructure),
  };
}

function machineOwner(cache: Cache, place: Place): Owner | undefined {
  const machine = cache.get(Machine, place);
  if (!machine) return undefined;
  return {
    text: `Machine ${JSON.stringify(place.name)}`,
    clusterName: machine.spec.clusterName,
    kubernetesVersion: machine.spec.version,
    versionField: "spec.version",
    machineName: place.name,
    isControlPlane: machine.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined,
    policy: machinePolicy(machine),
  };
}

function clusterOf(
  { object, cache }: Context<KubeadmConfig>,
  { clusterName }: Owner,
): { readonly cluster: Frozen<Cluster>; readonly endpoint: string } {
  const cluster = cache.get(Cluster, { name: clusterName, namespace: object.metadata.namespace });
  const text = `Cluster ${JSON.stringify(clusterName)}`;
  if (!cluster) throw waiting("WaitingForCluster", `${text} does not exist yet`);
  if (cluster.metadata.deletionTimestamp !== undefined) {
    throw waiting("ClusterDeleting", `${text} is being deleted, so no machine can join it`);
  }
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) {
    const message = `The infrastructure of ${text} is not ready yet`;
    throw waiting("WaitingForClusterInfrastructure", message);
  }
  const endpoint = endpointOf(cluster);
  if (endpoint !== undefined) return { cluster, endpoint };
  const message = `${text} has no spec.controlPlaneEndpoint yet`;
  throw waiting("WaitingForControlPlaneAvailable", message);
}

/** The endpoint of a cluster; undefined while it has none. */
function endpointOf({ spec }: Frozen<Cluster>): string | undefined {
  const { host = "", port = 0 } = spec.controlPlaneEndpoint ?? {};
  if (host === "" || port === 0) return undefined;
  return host.includes(":") && !host.startsWith("[") ? `[${host}]:${port}` : `${host}:${port}`;
}

function versionOf({ text, kubernetesVersion, versionField }: Owner): KubeadmApiVersion {
  if (kubernetesVersion === undefined) {
    const message = `${text}: ${versionField} is not set, but kubeadm's configuration depends on it; set it, for example to v1.31.2`;
    throw terminal("VersionMissing", message);
  }
  const version = kubeadmApiVersion(kubernetesVersion);
  if (version) return version;
  const message = `${text}: ${versionField}: ${JSON.stringify(kubernetesVersion)}: must be Kubernetes v1.22.0 or later`;
  throw terminal("VersionNotSupported", message);
}
