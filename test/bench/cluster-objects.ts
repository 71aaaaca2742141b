import {
  AzureCluster,
  AzureClusterIdentity,
  Cluster,
  type Kind,
  KubeadmConfig,
  kindOf,
  type KubernetesObject,
  MachinePool,
  Secret,
  withDefaults,
} from "@capstan/api";
import { DEFAULT_PRINCIPAL, DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import type { Client } from "@capstan/runtime";

const NAMESPACE = "default";
const IDENTITY = "bench";

/** Creates an object with all its defaults: a server without our webhooks fills in only those of the schema. */
export async function create<T extends KubernetesObject>(
  client: Client,
  kind: Kind<T>,
  object: object,
): Promise<void> {
  const known = kindOf(kind.apiVersion, kind.kind);
  const whole = { apiVersion: kind.apiVersion, kind: kind.kind, ...object } as KubernetesObject;
  await client.create(kind, (known ? withDefaults(known, whole) : whole) as T);
}

/** Creates the identity that all clusters share. */
export async function createIdentity(client: Client): Promise<void> {
  await create(client, Secret, {
    metadata: { name: IDENTITY, namespace: NAMESPACE },
    stringData: { clientSecret: DEFAULT_PRINCIPAL.clientSecret },
  });
  await create(client, AzureClusterIdentity, {
    metadata: { name: IDENTITY, namespace: NAMESPACE },
    spec: {
      type: "ServicePrincipal",
      tenantID: DEFAULT_PRINCIPAL.tenantId,
      clientID: DEFAULT_PRINCIPAL.clientId,
      clientSecret: { name: IDENTITY, namespace: NAMESPACE },
      allowedNamespaces: {},
    },
  });
}

/** A cluster with its network, and a pool with its bootstrap config. */
export async function createCluster(client: Client, name: string): Promise<void> {
  const metadata = { name, namespace: NAMESPACE };
  const reference = ({ apiVersion, kind }: Kind) => ({ apiVersion, kind, name });
  await create(client, Cluster, { metadata, spec: { infrastructureRef: reference(AzureCluster) } });
  await create(client, AzureCluster, {
    metadata,
    spec: {
      location: "westeurope",
      subscriptionID: DEFAULT_SUBSCRIPTION,
      identityRef: { ...reference(AzureClusterIdentity), name: IDENTITY, namespace: NAMESPACE },
    },
  });
  await create(client, KubeadmConfig, { metadata, spec: {} });
  await create(client, MachinePool, {
    metadata,
    spec: {
      clusterName: name,
      replicas: 3,
      template: {
        spec: {
          clusterName: name,
          version: "v1.34.1",
          bootstrap: { configRef: reference(KubeadmConfig) },
          infrastructureRef: {
            apiVersion: AzureCluster.apiVersion,
            kind: "AzureMachinePool",
            name,
          },
        },
      },
    },
  });
}
