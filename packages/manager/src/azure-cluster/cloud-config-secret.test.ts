import {
  AzureCluster,
  AzureClusterIdentity,
  AzureMachinePool,
  type KubernetesObject,
  type Secret,
  withDefaults,
} from "@capstan/api";
import { azureCluster, azureMachinePool, cluster } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { type CloudConfigPorts, keepCloudConfig } from "./cloud-config-secret.ts";

type Reference = { name: string; namespace?: string };
type Context = Parameters<typeof keepCloudConfig>[1];

/** The azure.json that a pool in namespace `tenant` gets from an identity there, and the Secrets that were read for it. */
async function configWith(clientSecret: Reference) {
  const metadata = { name: "demo", namespace: "tenant" };
  const identity = {
    apiVersion: AzureClusterIdentity.apiVersion,
    kind: AzureClusterIdentity.kind,
    metadata: { name: "id", namespace: "tenant" },
    spec: { type: "ServicePrincipal", tenantID: "t", clientID: "c", clientSecret },
  };
  const reference = { kind: AzureClusterIdentity.kind, name: "id", namespace: "tenant" };
  const infrastructure = azureCluster({ metadata, spec: { identityRef: reference, subscriptionID: "s" } });
  const objects: Readonly<Record<string, KubernetesObject>> = {
    Cluster: cluster({ metadata, spec: { infrastructureRef: { kind: AzureCluster.kind, name: "demo" } } }),
    AzureCluster: withDefaults(AzureCluster, infrastructure),
    AzureClusterIdentity: identity,
  };
  const created: Secret[] = [];
  const read: string[] = [];
  const context = {
    cache: { get: ({ kind }: { kind: string }) => objects[kind] },
    env: { clock: { monotonic: () => 0 } },
    client: {
      find: () => Promise.resolve(undefined),
      create: (_: unknown, secret: Secret) => Promise.resolve(created.push(secret)),
    },
  } as unknown as Context;
  const readSecret = (namespace: string, name: string) => {
    read.push(`${namespace}/${name}`);
    const data = { clientSecret: Buffer.from("hunter2").toString("base64") };
    return Promise.resolve({ apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, data });
  };
  const pool = azureMachinePool({ metadata: { name: "mp", namespace: "tenant", uid: "u1" } });
  const owner = withDefaults(AzureMachinePool, pool);
  const request = { owner, machines: owner.spec, clusterName: "demo", checked: undefined };
  await keepCloudConfig({ readSecret } as unknown as CloudConfigPorts, context, request);
  const text = Buffer.from(created[0]?.data?.["azure.json"] ?? "", "base64").toString();
  return { read, config: JSON.parse(text) as Record<string, unknown> };
}

test("the config has the password of an identity whose Secret is in the identity's namespace", async () => {
  const { read, config } = await configWith({ name: "own" });
  expect(read).toEqual(["tenant/own"]);
  expect(config).toMatchObject({ aadClientId: "c", aadClientSecret: "hunter2" });
});

test("a Secret of another namespace is neither read nor copied into the config", async () => {
  const { read, config } = await configWith({ name: "crown", namespace: "victim" });
  expect(read).toEqual([]);
  expect(config).not.toHaveProperty("aadClientSecret");
});
