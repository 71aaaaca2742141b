import {
  AzureCluster,
  AzureClusterIdentity,
  Cluster,
  CLUSTER_NAME_LABEL,
  type Kind,
  Secret,
} from "@capstan/api";
import { DEFAULT_SUBSCRIPTION } from "@capstan/azure-sim";
import type { Client } from "@capstan/runtime";
import { SIMULATED_AUTHORITY } from "@capstan/sim";
import { create } from "../bench/cluster-objects.ts";

const ENDPOINT = { host: "demo.example.com", port: 6443 };

/** Creates the Secrets by which controllers reach a workload cluster; the tests connect to it in their own process, not by the server of the kubeconfig. */
async function createAccess(client: Client, name: string): Promise<void> {
  const labels = { [CLUSTER_NAME_LABEL]: name };
  const encoded = (text: string): string => Buffer.from(text).toString("base64");
  await create(client, Secret, {
    metadata: { name: `${name}-ca`, namespace: "default", labels },
    data: { "tls.crt": encoded(SIMULATED_AUTHORITY) },
  });
  await create(client, Secret, {
    metadata: { name: `${name}-kubeconfig`, namespace: "default", labels },
    type: "cluster.x-k8s.io/secret",
    data: { value: encoded(JSON.stringify(kubeconfig(name))) },
  });
}

function kubeconfig(name: string): object {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: `https://${ENDPOINT.host}:${ENDPOINT.port}` } }],
    users: [{ name: "admin", user: { token: "none" } }],
    contexts: [{ name: "admin", context: { cluster: name, user: "admin" } }],
    "current-context": "admin",
  };
}

/** Creates a cluster with a network in the simulated Azure and a control plane that is there already. */
export async function createCluster(client: Client, name: string): Promise<void> {
  const metadata = { name, namespace: "default" };
  const reference = ({ group, kind }: Kind) => ({ apiGroup: group, kind, name });
  await createAccess(client, name);
  const spec = { controlPlaneEndpoint: ENDPOINT, infrastructureRef: reference(AzureCluster) };
  await create(client, Cluster, { metadata, spec });
  await create(client, AzureCluster, {
    metadata,
    spec: {
      location: "westeurope",
      subscriptionID: DEFAULT_SUBSCRIPTION,
      controlPlaneEndpoint: ENDPOINT,
      identityRef: { ...reference(AzureClusterIdentity), name: "bench", namespace: "default" },
    },
  });
}

/** Creates a cluster that is ready without any controller of its network. */
export async function createReadyCluster(client: Client, name: string): Promise<void> {
  const metadata = { name, namespace: "default" };
  await createAccess(client, name);
  const { group: apiGroup, kind } = AzureCluster;
  const controlPlaneEndpoint = ENDPOINT;
  await create(client, AzureCluster, {
    metadata,
    spec: { location: "westeurope", subscriptionID: "none", controlPlaneEndpoint },
  });
  const ready = { type: "merge", subresource: "status", body: { status: { ready: true } } } as const;
  await client.patch(AzureCluster, metadata, ready);
  const infrastructureRef = { apiGroup, kind, name };
  await create(client, Cluster, { metadata, spec: { controlPlaneEndpoint, infrastructureRef } });
}
