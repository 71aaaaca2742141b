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
import { type ConversionWebhook, serveReviews } from "../conversion/webhook.ts";
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
const PREVIEW = "v20270201preview";
/** As in Azure Service Operator, objects are stored in a version that only the operator uses. */
const STORED = "v20270201previewstorage";
/** The fields that not every version has. */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  featureOfTomorrow: [NEWEST, PREVIEW, STORED],
  previewFeature: [PREVIEW, STORED],
  lostFeature: [PREVIEW],
};
/** A tag that the stored version does not keep. */
const LOST_TAG = "lost";
const env = createRealEnv();
const at = { name: "harbor", namespace: "default" };

let plane: ControlPlane;
let client: Client;
let runner: Runner;
let webhook: ConversionWebhook;

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
  const versions = [kind.version, NEWEST, PREVIEW, STORED].map((name) => ({
    ...first,
    name,
    served: true,
    storage: name === STORED,
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: {
          spec: {
            type: "object",
            properties: { ...fields, ...featuresOf(name) },
          },
          status: open,
        },
      },
    },
  }));
  const { clientConfig } = webhook;
  const conversion = {
    strategy: "Webhook",
    webhook: { conversionReviewVersions: ["v1"], clientConfig },
  };
  const spec = { ...definition.spec, versions, conversion };
  return { ...definition, spec } as unknown as CustomResourceDefinition;
}

function featuresOf(version: string): Record<string, object> {
  const known = Object.entries(FEATURES).filter(([, versions]) => versions.includes(version));
  return Object.fromEntries(known.map(([name]) => [name, { type: "boolean" }]));
}

interface Review {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Partial<AsoObject>[];
  };
}

/** Converts as Azure Service Operator does: a field that the other version lacks is dropped. */
function convert(review: unknown): unknown {
  const { uid, desiredAPIVersion, objects } = (review as Review).request;
  const [, version = ""] = desiredAPIVersion.split("/");
  // The parts of objects that an apply converts have no metadata.
  const convertedObjects = objects.map(({ spec = {}, metadata = {}, ...object }) => {
    const kept = Object.entries(spec).filter(([name]) => FEATURES[name]?.includes(version) ?? true);
    const converted = Object.fromEntries(kept);
    const { [LOST_TAG]: lost, ...tags } = (spec["tags"] ?? {}) as Record<string, unknown>;
    if (lost !== undefined && version === STORED) converted["tags"] = tags;
    return { ...object, metadata, apiVersion: desiredAPIVersion, spec: converted };
  });
  const response = { uid, convertedObjects, result: { status: "Success" } };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response };
}

beforeAll(async () => {
  plane = await startControlPlane();
  client = createClient({ transport: plane.connect(), env, fieldManager: "test" });
  for (const { group, plural } of OURS)
    await establish(
      client,
      parse(readFileSync(`packages/api/crds/${group}_${plural}.yaml`, "utf8")) as CustomResourceDefinition,
    );
  webhook = await serveReviews(convert);
  for (const kind of ASO) await establish(client, structural(kind), { isConverted: true });
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
  await webhook.close();
});

function inVersion(kind: CustomKind<AsoObject>, version: string): CustomKind<AsoObject> {
  return { ...kind, version, apiVersion: `${kind.group}/${version}` };
}

/** Does Azure Service Operator's part: reports each object, first as missing in Azure, then as reconciled. */
async function reportAll(): Promise<void> {
  for (const kind of ASO.map((one) => inVersion(one, STORED))) {
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
const stored = (): Promise<Frozen<AsoObject> | undefined> =>
  client.find(inVersion(ManagedCluster, STORED), at);
const running = ({ status }: Frozen<AzureManagedControlPlane>) =>
  getCondition(status?.conditions, "ManagedClusterRunning");
const fulfilled = ({ status }: Frozen<AzureManagedControlPlane>) =>
  getCondition(status?.conditions, "SpecFulfilled");
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

test("a cluster is created, patched with a field of the newest version, and says which field is unknown", async () => {
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

  await patchTo(["spec: {previewFeature: true}"]);
  const early = await until(
    controlPlane,
    (one) => running(one)?.message?.includes("previewFeature") === true,
  );
  expect(running(early)?.message).toContain(`Version ${PREVIEW} has it: set spec.enablePreviewFeatures`);

  await patchTo([]);
  await until(stored, (one) => one?.spec["featureOfTomorrow"] === undefined);
});

test("a field of a preview version is kept after a stable version was applied, and one that is lost is named", async () => {
  const enablePreviewFeatures = true;
  const asoManagedClusterPatches = ["spec: {previewFeature: true}"];
  const body = { spec: { enablePreviewFeatures, asoManagedClusterPatches } };
  await client.patch(AzureManagedControlPlane, at, { type: "merge", body });
  await until(stored, (one) => one?.spec["previewFeature"] === true);

  await patchTo(["spec: {previewFeature: true, lostFeature: true}"]);
  const incomplete = await until(controlPlane, (one) => fulfilled(one)?.reason === "FieldNotKept");
  expect(fulfilled(incomplete)?.message).toContain("spec.lostFeature of ManagedCluster harbor is lost");
  expect((await stored())?.spec["previewFeature"]).toBe(true);

  // A client that writes in another version drops what that version lacks.
  const name = inVersion(ManagedCluster, NEWEST);
  const seen = (seenBy: string | null) => ({ status: { seenBy } });
  const write = { type: "merge", subresource: "status" } as const;
  await client.patch(name, at, { ...write, body: seen("a client of an older version") });
  expect((await stored())?.spec["previewFeature"]).toBeUndefined();
  const contested = await until(controlPlane, (one) =>
    Boolean(fulfilled(one)?.message?.includes("spec.previewFeature")),
  );
  expect(fulfilled(contested)?.message).toContain(`field manager test (${NEWEST}) wrote the object too`);
  await client.patch(inVersion(ManagedCluster, STORED), at, { ...write, body: seen(null) });
  await until(stored, (one) => one?.spec["previewFeature"] === true);
});

test("a field that the object of the resource group does not keep is named in its own condition", async () => {
  const tagged = (value: string | null) =>
    ({ type: "merge", body: { spec: { additionalTags: { [LOST_TAG]: value } } } }) as const;
  const ofGroup = ({ status }: Frozen<AzureManagedControlPlane>) =>
    getCondition(status?.conditions, "ResourceGroupReady");
  await client.patch(AzureManagedControlPlane, at, tagged("x"));
  const incomplete = await until(controlPlane, (one) => ofGroup(one)?.reason === "FieldNotKept");
  expect(ofGroup(incomplete)?.message).toMatch(/^spec\.tags\.lost of ResourceGroup harbor is lost/);
  await client.patch(AzureManagedControlPlane, at, tagged(null));
  await until(controlPlane, (one) => ofGroup(one)?.status === "True");
});

test("a cluster is deleted with its objects", async () => {
  await deleteExample();
  for (const kind of ASO) expect(await client.list(kind)).toEqual([]);
});
