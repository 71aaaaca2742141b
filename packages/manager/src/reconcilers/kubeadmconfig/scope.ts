import {
  AzureMachinePool,
  Cluster,
  CONTROL_PLANE_LABEL,
  type Frozen,
  groupOf,
  type KubeadmConfig,
  KubeadmControlPlane,
  Machine,
  MachinePool,
} from "@capstan/api";
import { type Client, type Context, type Editable, Failure, terminal, waiting } from "@capstan/runtime";
import { type KubeadmApiVersion, kubeadmApiVersion } from "../../bootstrap/join-configuration.ts";
import { machinePolicy, poolPolicy, type TokenPolicy } from "./token-policy.ts";

export interface KubeadmConfigPorts {
  /** A client of the Cluster's workload cluster; throws while it does not answer. */
  workloadClient(cluster: Frozen<Cluster>): Promise<Client>;
}

/** One pass over one KubeadmConfig of workers. */
export interface Scope {
  readonly context: Context<KubeadmConfig>;
  readonly config: Editable<KubeadmConfig>;
  readonly ports: KubeadmConfigPorts;
  readonly cluster: Frozen<Cluster>;
  readonly endpoint: string;
  readonly version: KubeadmApiVersion;
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
  readonly policy: TokenPolicy;
}

/** Finds the owner of the data and its cluster. Throws with a reason while one is missing. */
export function buildScope(ports: KubeadmConfigPorts, context: Context<KubeadmConfig>): Scope {
  const { object: config } = context;
  try {
    refuseControlPlane(config);
    const owner = ownerOf(context);
    const { cluster, endpoint } = clusterOf(context, owner);
    return { context, config, ports, cluster, endpoint, version: versionOf(owner), policy: owner.policy };
  } catch (error) {
    throw noData(context, error);
  }
}

/** Sets the condition that explains why the data is missing or old, and returns the failure to throw. */
export function noData(
  { setCondition }: Pick<Context<KubeadmConfig>, "setCondition">,
  error: unknown,
): unknown {
  if (error instanceof Failure) {
    const { reason, message, failure } = error;
    const severity = failure === "Terminal" ? "Error" : failure === "Waiting" ? "Info" : "Warning";
    setCondition({ type: DATA_SECRET_AVAILABLE, status: "False", severity, reason, message });
  }
  return error;
}

function refuseControlPlane({ metadata, spec }: Frozen<KubeadmConfig>): void {
  const field = (["clusterConfiguration", "initConfiguration"] as const).find(
    (name) => spec[name] !== undefined,
  );
  const isOwned = metadata.ownerReferences?.some(({ kind }) => kind === KubeadmControlPlane.kind);
  if (field === undefined && !isOwned && !spec.joinConfiguration?.controlPlane) return;
  const sign = field
    ? `spec.${field} is set`
    : isOwned
      ? "a KubeadmControlPlane owns it"
      : "spec.joinConfiguration.controlPlane is set";
  throw controlPlane(sign);
}

function controlPlane(sign: string): Failure {
  const message = `This KubeadmConfig is for a control plane machine (${sign}); only workers are supported so far`;
  return waiting("WaitingForControlPlaneSupport", message);
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
    name: infrastructureRef.name ?? "",
    namespace: place.namespace,
  });
  return {
    text: `MachinePool ${JSON.stringify(place.name)}`,
    clusterName,
    kubernetesVersion: version,
    versionField: "spec.template.spec.version",
    policy: poolPolicy(pool, infrastructure),
  };
}

function machineOwner(cache: Cache, place: Place): Owner | undefined {
  const machine = cache.get(Machine, place);
  if (!machine) return undefined;
  if (machine.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined) {
    throw controlPlane(`Machine ${JSON.stringify(place.name)} has the label ${CONTROL_PLANE_LABEL}`);
  }
  return {
    text: `Machine ${JSON.stringify(place.name)}`,
    clusterName: machine.spec.clusterName,
    kubernetesVersion: machine.spec.version,
    versionField: "spec.version",
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
  if (cluster.status?.infrastructureReady !== true) {
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
