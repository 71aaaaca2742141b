/**
 * A valid object of every kind, for tests: `machinePool({ spec: { replicas: 3 } })`.
 *
 * Each builder returns the minimal valid object of its kind, with matching names: the cluster is `cluster`, and the objects
 * of one pool or one machine have one name. Overrides can have any depth, and the last one wins; lists are replaced as a
 * whole, and undefined removes a field.
 */
import {
  AzureCluster,
  AzureClusterIdentity,
  AzureClusterTemplate,
  AzureMachine,
  AzureMachinePool,
  AzureMachinePoolMachine,
  AzureMachineTemplate,
  AzureManagedCluster,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  ConfigMap,
  Event,
  ExtensionConfig,
  type Kind,
  KubeadmConfig,
  KubeadmConfigTemplate,
  KubeadmControlPlane,
  type KubernetesObject,
  Lease,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineHealthCheck,
  MachinePool,
  MachineSet,
  ManagedCluster,
  ManagedClustersAgentPool,
  Namespace,
  Node,
  type ObjectMeta,
  Pod,
  ResourceGroup,
  Secret,
  VirtualNetwork,
  VirtualNetworksSubnet,
  assignOwn,
  deepCopy,
  isJsonObject,
} from "@capstan/api";

/** Any part of an object, at any depth. */
export type Overrides<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [Key in keyof T]?: Overrides<T[Key]> | undefined }
    : T;

/** Creates an object that shares nothing with any other. */
export type Builder<T extends KubernetesObject> = (...overrides: readonly Overrides<T>[]) => T;

type Example<T extends KubernetesObject> = Omit<T, keyof KubernetesObject> & {
  readonly metadata: Partial<ObjectMeta>;
};

function builder<T extends KubernetesObject>(kind: Kind<T>, example: Example<T>): Builder<T> {
  const { apiVersion, kind: name, namespaced } = kind;
  const names = { apiVersion, kind: name, metadata: namespaced ? { namespace: "default" } : {} };
  // The kind determines the type; merging untyped parts cannot change it.
  return (...overrides) => [example, ...overrides].reduce<unknown>(merged, names) as T;
}

function merged(base: unknown, override: unknown): unknown {
  if (!isJsonObject(override)) return deepCopy(override);
  const result: Record<string, unknown> = isJsonObject(base) ? deepCopy(base) : {};
  for (const [key, value] of Object.entries(override)) {
    if (value === undefined) delete result[key];
    else assignOwn(result, key, merged(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

const CLUSTER_NAME = "cluster";
const VERSION = "v1.31.2";
const LOCATION = "westeurope";
const SIZE = "Standard_D2s_v3";
const SUBSCRIPTION = "00000000-0000-0000-0000-000000000001";
const SCALE_SET = `azure:///subscriptions/${SUBSCRIPTION}/resourceGroups/${CLUSTER_NAME}/providers/Microsoft.Compute/virtualMachineScaleSets/pool`;

function referenceTo(kind: Kind, name: string) {
  return { apiVersion: kind.apiVersion, kind: kind.kind, name };
}

/** A reference of v1beta2, which names no version. */
function contractReferenceTo({ group, kind }: Kind, name: string) {
  return { apiGroup: group, kind, name };
}

/** The spec of a machine, with the objects that it refers to. */
function machineSpec(bootstrap: Kind, infrastructure: Kind, name: string) {
  return {
    clusterName: CLUSTER_NAME,
    version: VERSION,
    bootstrap: { configRef: contractReferenceTo(bootstrap, name) },
    infrastructureRef: contractReferenceTo(infrastructure, name),
  };
}

/** The common spec of machine sets and deployments. */
const machinesSpec = {
  clusterName: CLUSTER_NAME,
  selector: {},
  template: { spec: machineSpec(KubeadmConfigTemplate, AzureMachineTemplate, "machines") },
};

const azureMachineSpec = { vmSize: SIZE, osDisk: { osType: "Linux" } };

/** A Cluster on Azure with a kubeadm control plane. */
export const cluster = builder(Cluster, {
  metadata: { name: CLUSTER_NAME },
  spec: {
    infrastructureRef: contractReferenceTo(AzureCluster, CLUSTER_NAME),
    controlPlaneRef: contractReferenceTo(KubeadmControlPlane, "control-plane"),
  },
});

/** A Machine on Azure. */
export const machine = builder(Machine, {
  metadata: { name: "machine" },
  spec: machineSpec(KubeadmConfig, AzureMachine, "machine"),
});

/** A MachineDeployment on Azure. */
export const machineDeployment = builder(MachineDeployment, {
  metadata: { name: "machines" },
  spec: machinesSpec,
});

/** A MachineSet on Azure. */
export const machineSet = builder(MachineSet, { metadata: { name: "machines" }, spec: machinesSpec });

/** A MachinePool on Azure. */
export const machinePool = builder(MachinePool, {
  metadata: { name: "pool" },
  spec: {
    clusterName: CLUSTER_NAME,
    template: { spec: machineSpec(KubeadmConfig, AzureMachinePool, "pool") },
  },
});

/** A MachineDrainRule that leaves all pods alone. */
export const machineDrainRule = builder(MachineDrainRule, {
  metadata: { name: "rule" },
  spec: { drain: { behavior: "Skip" } },
});

/** A MachineHealthCheck of all machines of the cluster. */
export const machineHealthCheck = builder(MachineHealthCheck, {
  metadata: { name: "health" },
  spec: {
    clusterName: CLUSTER_NAME,
    selector: { matchLabels: { "cluster.x-k8s.io/cluster-name": CLUSTER_NAME } },
  },
});

/** A KubeadmConfig. */
export const kubeadmConfig = builder(KubeadmConfig, { metadata: { name: "pool" }, spec: {} });

/** A KubeadmConfigTemplate. */
export const kubeadmConfigTemplate = builder(KubeadmConfigTemplate, {
  metadata: { name: "machines" },
  spec: { template: {} },
});

/** A KubeadmControlPlane on Azure. */
export const kubeadmControlPlane = builder(KubeadmControlPlane, {
  metadata: { name: "control-plane" },
  spec: {
    version: VERSION,
    machineTemplate: {
      spec: { infrastructureRef: contractReferenceTo(AzureMachineTemplate, "control-plane") },
    },
  },
});

/** An ExtensionConfig. */
export const extensionConfig = builder(ExtensionConfig, {
  metadata: { name: "updater" },
  spec: { clientConfig: { url: "https://updater.example.com/hooks" } },
});

/** An AzureCluster. */
export const azureCluster = builder(AzureCluster, {
  metadata: { name: CLUSTER_NAME },
  spec: { location: LOCATION, identityRef: referenceTo(AzureClusterIdentity, "identity") },
});

/** An AzureClusterTemplate. */
export const azureClusterTemplate = builder(AzureClusterTemplate, {
  metadata: { name: "cluster" },
  spec: {
    template: {
      spec: { location: LOCATION, identityRef: referenceTo(AzureClusterIdentity, "identity") },
    },
  },
});

/** An AzureClusterIdentity. */
export const azureClusterIdentity = builder(AzureClusterIdentity, {
  metadata: { name: "identity" },
  spec: { type: "WorkloadIdentity", tenantID: SUBSCRIPTION, clientID: SUBSCRIPTION },
});

/** An AzureMachine. */
export const azureMachine = builder(AzureMachine, {
  metadata: { name: "machine" },
  spec: azureMachineSpec,
});

/** An AzureMachineTemplate. */
export const azureMachineTemplate = builder(AzureMachineTemplate, {
  metadata: { name: "machines" },
  spec: { template: { spec: azureMachineSpec } },
});

/** An AzureMachinePool. */
export const azureMachinePool = builder(AzureMachinePool, {
  metadata: { name: "pool" },
  spec: { location: LOCATION, template: azureMachineSpec },
});

/** An AzureMachinePoolMachine. */
export const azureMachinePoolMachine = builder(AzureMachinePoolMachine, {
  metadata: { name: "pool-0" },
  spec: { providerID: `${SCALE_SET}/virtualMachines/0`, instanceID: "0" },
});

/** An AzureManagedCluster. */
export const azureManagedCluster = builder(AzureManagedCluster, {
  metadata: { name: CLUSTER_NAME },
  spec: {},
});

/** An AzureManagedControlPlane. */
export const azureManagedControlPlane = builder(AzureManagedControlPlane, {
  metadata: { name: "control-plane" },
  spec: {
    location: LOCATION,
    version: VERSION,
    resourceGroupName: CLUSTER_NAME,
    identityRef: referenceTo(AzureClusterIdentity, "identity"),
  },
});

/** An AzureManagedMachinePool. */
export const azureManagedMachinePool = builder(AzureManagedMachinePool, {
  metadata: { name: "pool" },
  spec: { mode: "System", sku: SIZE },
});

/** A ResourceGroup of Azure Service Operator. */
export const resourceGroup = builder(ResourceGroup, {
  metadata: { name: CLUSTER_NAME },
  spec: { location: LOCATION },
});

/** A VirtualNetwork of Azure Service Operator. */
export const virtualNetwork = builder(VirtualNetwork, {
  metadata: { name: CLUSTER_NAME },
  spec: { location: LOCATION, owner: { name: CLUSTER_NAME } },
});

/** A VirtualNetworksSubnet of Azure Service Operator. */
export const virtualNetworksSubnet = builder(VirtualNetworksSubnet, {
  metadata: { name: "nodes" },
  spec: { owner: { name: CLUSTER_NAME } },
});

/** A ManagedCluster of Azure Service Operator. */
export const managedCluster = builder(ManagedCluster, {
  metadata: { name: CLUSTER_NAME },
  spec: { location: LOCATION, owner: { name: CLUSTER_NAME } },
});

/** A ManagedClustersAgentPool of Azure Service Operator. */
export const managedClustersAgentPool = builder(ManagedClustersAgentPool, {
  metadata: { name: "pool" },
  spec: { owner: { name: CLUSTER_NAME } },
});

/** A Node that is ready. */
export const node = builder(Node, {
  metadata: { name: "node" },
  spec: {},
  status: { conditions: [{ type: "Ready", status: "True" }] },
});

/** A Pod with one container. */
export const pod = builder(Pod, {
  metadata: { name: "pod" },
  spec: { containers: [{ name: "main", image: "registry.example.com/main:1" }] },
});

/** A Secret without data. */
export const secret = builder(Secret, { metadata: { name: "secret" }, type: "Opaque", data: {} });

/** A Namespace. */
export const namespace = builder(Namespace, { metadata: { name: "default" } });

/** A ConfigMap without data. */
export const configMap = builder(ConfigMap, { metadata: { name: "config" }, data: {} });

/** A Lease without a holder. */
export const lease = builder(Lease, { metadata: { name: "lease" }, spec: {} });

/** An Event about the cluster. */
export const event = builder(Event, {
  metadata: { name: "event" },
  involvedObject: { ...referenceTo(Cluster, CLUSTER_NAME), namespace: "default" },
  reason: "Noted",
  message: "Something happened",
  type: "Normal",
});
