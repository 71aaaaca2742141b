/** AKS on a real kube-apiserver: forced apply over structural CRDs of Azure Service Operator, patches, unknown fields, deletion. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AsoObject,
  AzureClusterIdentity,
  AzureManagedControlPlane,
  AzureManagedMachinePool,
  Cluster,
  type CustomKind,
  type Frozen,
  getCondition,
  inStoredVersion,
  type KubernetesObject,
  MachinePool,
  ManagedCluster,
  ManagedClustersAgentPool,
  ownerReferenceTo,
  ResourceGroup,
  toCustomResourceDefinition,
  VirtualNetwork,
  VirtualNetworksSubnet,
} from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { type Client, createClient, Runner, silentLogger } from "@capstan/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { azureManagedControlPlaneReconciler } from "../../packages/manager/src/reconcilers/azuremanagedcontrolplane/reconciler.ts";
import { examples } from "../world/kit/aks-world.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { type CustomResourceDefinition, establish } from "./custom-resource-definition.ts";

const OURS = [Cluster, MachinePool, AzureClusterIdentity, AzureManagedControlPlane, AzureManagedMachinePool];
const ASO: readonly CustomKind<AsoObject>[] = [
  ResourceGroup,
  VirtualNetwork,
  VirtualNetworksSubnet,
  ManagedCluster,
  ManagedClustersAgentPool,
];
const NEWEST = "v1api20270101";
const env = createRealEnv();
const at = { name: "harbor", namespace: "default" };

let plane: ControlPlane;
let client: Client;
let runner: Runner;

/** A structural CRD: unlike ours for the simulator, it refuses fields that it does not declare. */
function structural(kind: CustomKind<AsoObject>): CustomResourceDefinition {
  const definition = toCustomResourceDefinition(kind);
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const text = { type: "string" };
  const fields = {
    azureName: text,
    location: text,
    owner: { type: "object", properties: { name: text } },
    kubernetesVersion: text,
    dnsPrefix: text,
    nodeResourceGroup: text,
    enableRBAC: { type: "boolean" },
    workloadAutoScalerProfile: {
      type: "object",
      properties: { keda: { type: "object", properties: { enabled: { type: "boolean" } } } },
    },
    ...Object.fromEntries(
      [
        "tags",
        "addressSpace",
        "servicePrincipalProfile",
        "identity",
        "networkProfile",
        "sku",
        "operatorSpec",
      ].map((name) => [name, open]),
    ),
    ...Object.fromEntries(
      ["addressPrefixes", "agentPoolProfiles"].map((name) => [
        name,
        { type: "array", items: { "x-kubernetes-preserve-unknown-fields": true } },
      ]),
    ),
  };
  const [first] = definition.spec.versions;
  const versions = [kind.version, NEWEST].map((name, index) => ({
    ...first,
    name,
    served: true,
    storage: index === 1,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { ...fields, ...(name === NEWEST && { featureOfTomorrow: { type: "boolean" } }) },
          },
          status: open,
        },
      },
    },
  }));
  return { ...definition, spec: { ...definition.spec, versions } } as unknown as CustomResourceDefinition;
}

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  for (const { group, plural } of OURS)
    await establish(
      client,
      parse(readFileSync(`packages/api/crds/${group}_${plural}.yaml`, "utf8")) as CustomResourceDefinition,
    );
  for (const kind of ASO) await establish(client, structural(kind));
  const reconciler = azureManagedControlPlaneReconciler({
    clock: env.clock,
    azure: { armFor: () => Promise.reject(new Error("these manifests name no identity")) },
    defaultSubscriptionID: "00000000-0000-0000-0000-000000000000",
    readSecret: () => Promise.resolve(undefined),
  });
  runner = new Runner({
    env,
    transport: plane.connect(),
    log: silentLogger,
    name: "capstan",
    reconcilers: [reconciler],
  });
  await runner.start();
});

afterAll(async () => {
  await runner.stop();
  await plane.stop();
});

function inNewest(kind: CustomKind<AsoObject>): CustomKind<AsoObject> {
  return { ...kind, version: NEWEST, apiVersion: `${kind.group}/${NEWEST}` };
}

/** Does Azure Service Operator's part: reports each object, first as missing in Azure, then as reconciled. */
async function reportAll(): Promise<void> {
  // A write in an older version would prune the fields of the newest.
  for (const kind of ASO.map(inNewest)) {
    for (const object of await client.list(kind)) {
      const isManaged =
        object.metadata.annotations?.["serviceoperator.azure.com/reconcile-policy"] === "manage";
      const ready = isManaged
        ? { status: "True", reason: "Succeeded" }
        : { status: "False", reason: "AzureResourceNotFound" };
      const condition = {
        type: "Ready",
        ...ready,
        observedGeneration: object.metadata.generation,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      const azure = isManaged
        ? { id: "/x", fqdn: "harbor.example", currentKubernetesVersion: "1.33.5", agentPoolProfiles: [] }
        : {};
      const body = { status: { ...azure, conditions: [condition] } };
      await client.patch(kind, object.metadata, { type: "merge", subresource: "status", body });
    }
  }
}

async function until<T>(read: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const value = await read();
    if (holds(value)) return value;
    await reportAll();
    await sleep(100);
  }
  throw new Error(`it did not come: ${JSON.stringify(await read())}`);
}

const controlPlane = (): Promise<Frozen<AzureManagedControlPlane>> =>
  client.get(AzureManagedControlPlane, at);
const stored = (): Promise<Frozen<AsoObject> | undefined> => client.find(inNewest(ManagedCluster), at);
const running = ({ status }: Frozen<AzureManagedControlPlane>) =>
  getCondition(status?.conditions, "ManagedClusterRunning");
const patchTo = (asoManagedClusterPatches: string[]): Promise<unknown> =>
  client.patch(AzureManagedControlPlane, at, { type: "merge", body: { spec: { asoManagedClusterPatches } } });

/** Creates the objects of the example, owned as Cluster API leaves them. */
async function createExample(): Promise<void> {
  const kinds = new Map<string, CustomKind>(OURS.map((kind) => [kind.kind, kind]));
  for (const object of examples("cluster.yaml", "pools.yaml")) {
    const kind = kinds.get(object.kind);
    if (!kind) continue;
    const { spec } = object as unknown as { spec: Record<string, unknown> };
    if (object.kind === AzureManagedControlPlane.kind)
      Object.assign(spec, { identityRef: {}, asoManagedClusterPatches: [] });
    const converted = inStoredVersion({ ...object })?.object ?? object;
    await client.create(kind, converted as unknown as KubernetesObject);
  }
  const cluster = await client.get(Cluster, at);
  const owned = { metadata: { labels: { "cluster.x-k8s.io/cluster-name": "harbor" } } };
  await client.patch(AzureManagedControlPlane, at, {
    type: "merge",
    body: { metadata: { ownerReferences: [ownerReferenceTo(cluster)] } },
  });
  for (const name of ["harbor-system", "harbor-workers"]) {
    const pool = await client.get(MachinePool, { name, namespace: "default" });
    const metadata = { ...owned.metadata, ownerReferences: [ownerReferenceTo(pool)] };
    await client.patch(
      AzureManagedMachinePool,
      { name, namespace: "default" },
      { type: "merge", body: { metadata } },
    );
  }
}

async function deleteExample(): Promise<void> {
  for (const name of ["harbor-system", "harbor-workers"]) {
    const place = { name, namespace: "default" };
    await client.delete(AzureManagedMachinePool, place);
  }
  await client.delete(AzureManagedControlPlane, at);
  for (let attempt = 0; attempt < 100 && (await client.find(AzureManagedControlPlane, at)); attempt++)
    await sleep(100);
  expect(await client.find(AzureManagedControlPlane, at)).toBeUndefined();
}

test("a cluster is created, patched with a field of the newest version, published of an unknown one, and deleted", async () => {
  await createExample();
  await until(controlPlane, (one) => one.status?.ready === true);

  await patchTo(["spec: {featureOfTomorrow: true}"]);
  const patched = await until(stored, (one) => one?.spec["featureOfTomorrow"] === true);
  const entries = (patched?.metadata.managedFields ?? []) as readonly {
    manager: string;
    operation: string;
    apiVersion: string;
  }[];
  expect(entries.find(({ operation }) => operation === "Apply")).toMatchObject({
    manager: "capstan",
    apiVersion: `${ManagedCluster.group}/${NEWEST}`,
  });

  await patchTo(["spec: {workloadAutoScalerProfle: {keda: {enabled: true}}}"]);
  const published = await until(controlPlane, (one) => running(one)?.reason === "UnknownField");
  expect(running(published)?.message).toContain("did you mean spec.workloadAutoScalerProfile?");
  expect((await stored())?.spec["featureOfTomorrow"], "the resource stays as it was").toBe(true);

  await patchTo([]);
  await until(stored, (one) => one?.spec["featureOfTomorrow"] === undefined);

  await deleteExample();
  for (const kind of ASO) expect(await client.list(kind)).toEqual([]);
});
