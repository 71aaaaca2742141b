import { describe, expect, test } from "vitest";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { carriersOf, noVerdictFor } from "./carriers.ts";
import { readFleet } from "./read-fleet.ts";
import { readWorkload } from "./workload-objects.ts";

const CORE = "cluster.x-k8s.io/v1beta2";
const AZURE = "infrastructure.cluster.x-k8s.io/v1beta1";

interface Parts {
  readonly [field: string]: unknown;
  readonly metadata?: object;
}

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  { metadata, ...rest }: Parts = {},
): GivenObject => ({ apiVersion, kind, metadata: { name, namespace: "default", ...metadata }, ...rest });

const cluster = (name: string, spec: object = {}): GivenObject =>
  object(CORE, "Cluster", name, {
    spec: {
      infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "AzureCluster", name },
      ...spec,
    },
  });
const pool = (name: string, clusterName: string, more: Parts = {}): GivenObject =>
  object(CORE, "MachinePool", name, {
    spec: {
      clusterName,
      replicas: 2,
      providerIDList: ["azure:///x"],
      template: {
        spec: {
          clusterName,
          version: "v1.33.5",
          bootstrap: { configRef: { kind: "KubeadmConfig", name }, dataSecretName: name },
        },
      },
    },
    ...more,
  });

const read = (objects: readonly GivenObject[], change: readonly GivenObject[] = [pool("a", "one")]) =>
  readFleet({ objects, change, workloads: [], namespace: "default" });
const names = (objects: readonly { kind: string; metadata: { name: string } }[]): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe("a fleet is what users own", () => {
  test("machines, their parts and Secrets of clusters are grown again", () => {
    const owned = (kind: string, owner: string): Parts => ({
      metadata: {
        ownerReferences: [{ kind: owner, name: "o", controller: true, apiVersion: "x/v1", uid: kind }],
      },
    });
    const { fleet } = read([
      cluster("one"),
      pool("a", "one"),
      object(
        "bootstrap.cluster.x-k8s.io/v1beta2",
        "KubeadmConfig",
        "a",
        owned("KubeadmConfig", "MachinePool"),
      ),
      object("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfig", "b", owned("KubeadmConfig", "Machine")),
      object(CORE, "Machine", "m", owned("Machine", "MachineSet")),
      object(AZURE, "AzureMachinePoolMachine", "pm"),
      object("v1", "Secret", "one-kubeconfig", { type: "cluster.x-k8s.io/secret" }),
    ]);
    expect(names(fleet.objects)).toEqual(["Cluster one", "MachinePool a", "KubeadmConfig a"]);
  });

  test("without what servers and Azure gave it", () => {
    const { fleet } = read([
      cluster("one", { controlPlaneEndpoint: { host: "h", port: 1 } }),
      pool("a", "one", {
        status: { replicas: 2 },
        metadata: { uid: "u", resourceVersion: "7", finalizers: ["f"], managedFields: [] },
      }),
    ]);
    expect(fleet.objects[0]).not.toHaveProperty("spec.controlPlaneEndpoint");
    expect(Object.keys(fleet.objects[1]?.metadata ?? {})).toEqual(["name", "namespace"]);
    expect(fleet.objects[1]).not.toHaveProperty("status");
    expect(fleet.objects[1]).not.toHaveProperty("spec.providerIDList");
    expect(fleet.objects[1]).not.toHaveProperty("spec.template.spec.bootstrap.dataSecretName");
  });

  test("identities log in to the simulated Azure, and Secrets that are missing get a placeholder", () => {
    const file = { contentFrom: { secret: { name: "certs", key: "ca" } } };
    const { fleet, assumptions } = read([
      cluster("one"),
      object(AZURE, "AzureClusterIdentity", "id", {
        spec: { type: "ServicePrincipal", clientSecret: { name: "s" }, allowedNamespaces: {} },
      }),
      object("bootstrap.cluster.x-k8s.io/v1beta2", "KubeadmConfig", "a", { spec: { files: [file] } }),
    ]);
    expect(names(fleet.objects)).toContain("Secret certs");
    expect(fleet.objects.find(({ kind }) => kind === "AzureClusterIdentity")).toMatchObject({
      spec: { type: "WorkloadIdentity" },
    });
    expect(assumptions.join()).toContain("content of 1 Secret that bootstrap configs name: a placeholder");
  });

  test("updaters of others and renewals of node images are named as not simulated", () => {
    const service = (name: string): Parts => ({
      spec: { clientConfig: { service: { name, namespace: "capstan-system" } } },
    });
    const strategy = { type: "InPlace" };
    const { assumptions, undecided } = read([
      cluster("one"),
      object(CORE, "MachineDeployment", "d", { spec: { clusterName: "one", rollout: { strategy } } }),
      object("runtime.cluster.x-k8s.io/v1beta2", "ExtensionConfig", "ours", service("kubeadm-upgrade")),
      object("runtime.cluster.x-k8s.io/v1beta2", "ExtensionConfig", "vendor", service("vendor")),
      object(AZURE, "AzureMachinePool", "a", { spec: { template: { image: { nodePrototyping: {} } } } }),
    ]);
    expect(assumptions.filter((line) => line.startsWith("ExtensionConfig"))).toEqual([
      "ExtensionConfig vendor is not simulated: groups that are updated in place get no verdict",
    ]);
    expect([...undecided]).toEqual([
      [
        "MachineDeployment/default/d",
        "ExtensionConfig vendor decides about its updates in place, and is not simulated",
      ],
    ]);
    expect(assumptions.join()).toContain("node images of 1 pool are not renewed meanwhile");
  });

  test("only Clusters that the change reaches are grown", () => {
    const { fleet, assumptions } = read([cluster("one"), pool("a", "one"), cluster("two"), pool("b", "two")]);
    expect(names(fleet.objects)).toEqual(["Cluster one", "MachinePool a"]);
    expect(assumptions.join()).toContain("the change does not reach 1 other Cluster");
  });

  test("a change of an object that belongs to no Cluster grows all of them", () => {
    const { fleet } = read(
      [cluster("one"), cluster("two")],
      [object(AZURE, "AzureMachineTemplate", "lonely")],
    );
    expect(names(fleet.objects)).toEqual(["Cluster one", "Cluster two"]);
  });

  test("what is paused grows and is rehearsed as if it were resumed, and is named", () => {
    const all = read([cluster("one", { paused: true }), pool("a", "one")]);
    expect(all.fleet.objects[0]).not.toHaveProperty("spec.paused");
    expect(all.assumptions.join()).toContain("all Clusters are paused");
    const annotations = { "cluster.x-k8s.io/paused": "", kept: "yes" };
    const one = read([
      cluster("one", { paused: true }),
      pool("a", "one", { metadata: { annotations }, spec: { clusterName: "one" } }),
      cluster("two"),
    ]);
    expect(one.fleet.objects).toMatchObject([{ spec: {} }, { metadata: { annotations: { kept: "yes" } } }]);
    expect(JSON.stringify(one.fleet.objects)).not.toContain("paused");
    expect(one.assumptions.filter((line) => line.includes("is paused"))).toEqual([
      "Cluster default/one is paused: rehearsed as if it were resumed; until then nothing happens",
      "MachinePool default/a is paused: rehearsed as if it were resumed; until then nothing happens",
    ]);
  });

  test("what the dump lacks is named with the object that needs it, unless the change brings it", () => {
    const template = object(AZURE, "AzureMachineTemplate", "t");
    const infrastructureRef = { kind: "AzureMachineTemplate", name: "t" };
    const deployment = object(CORE, "MachineDeployment", "d", {
      spec: { clusterName: "one", template: { spec: { infrastructureRef } } },
    });
    const subnet = { reference: { kind: "VirtualNetworksSubnet", name: "made-by-a-controller" } };
    const managed = object("containerservice.azure.com/v1api20250801", "ManagedCluster", "m", {
      spec: subnet,
    });
    const fleet = [cluster("one"), object(AZURE, "AzureCluster", "one"), deployment, managed];
    expect(read(fleet, [deployment]).missing).toEqual([
      "AzureMachineTemplate default/t is not in the dump, and MachineDeployment default/d needs it",
    ]);
    expect(read(fleet, [deployment, template]).missing).toEqual([]);
  });

  test("an external etcd is named as not simulated", () => {
    const etcd = { external: { endpoints: ["https://10.0.0.9:2379"] } };
    const controlPlane = object("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", "cp", {
      spec: { kubeadmConfigSpec: { clusterConfiguration: { etcd } } },
    });
    expect(read([cluster("one"), controlPlane], [controlPlane]).missing).toContain(
      "KubeadmControlPlane default/cp has an external etcd, which is not simulated",
    );
  });

  test("what stands in the middle of a rollout is named", () => {
    const { midway } = read([
      cluster("one"),
      object(CORE, "MachineDeployment", "d", {
        spec: { clusterName: "one", replicas: 3 },
        status: { upToDateReplicas: 1 },
      }),
    ]);
    expect(midway).toEqual(["MachineDeployment default/d: 1 of 3 machines are up to date"]);
  });

  test("the simulated Azure knows sizes, regions, subscriptions and versions of fleet and change, and says which are assumed", () => {
    const { fleet, assumptions } = read(
      [
        cluster("one"),
        object(AZURE, "AzureCluster", "one", { spec: { subscriptionID: "s-1", location: "brazilsouth" } }),
        object(AZURE, "AzureMachinePool", "a", { spec: { template: { vmSize: "Standard_D96ads_v6" } } }),
      ],
      [pool("a", "one", { spec: { clusterName: "one", template: { spec: { version: "v1.34.7" } } } })],
    );
    expect(fleet.azure.subscriptions).toContain("s-1");
    expect(fleet.azure.regions).toContain("brazilsouth");
    expect(fleet.azure.sizes?.at(-1)).toMatchObject({ name: "Standard_D96ads_v6", cores: 96 });
    expect(assumptions.join()).toMatch(
      /images exist in Azure: .*1\.34\.7.*sizes exist, .*: Standard_D96ads_v6/,
    );
  });

  test("more machines than can be rehearsed are refused in a sentence", () => {
    expect(() =>
      read([
        cluster("one"),
        object(CORE, "MachineDeployment", "d", { spec: { clusterName: "one", replicas: 10_001 } }),
      ]),
    ).toThrow("--from describes 10001 machines; at most 10000");
  });

  test("a change to more machines than can be rehearsed is refused before a minute of growth", () => {
    const deployment = (replicas: number): GivenObject =>
      object(CORE, "MachineDeployment", "d", { spec: { clusterName: "one", replicas } });
    const fleet = [cluster("one"), pool("a", "one"), deployment(3)];
    expect(() => read(fleet, [deployment(2_000_000_000)])).toThrow("the change asks for 2000000002 machines");
    expect(() => read(fleet, [pool("a", "one", { spec: {} })])).not.toThrow();
  });
});

describe("who carries a change out", () => {
  const definition = (name: string, labels: object): GivenObject =>
    object("apiextensions.k8s.io/v1", "CustomResourceDefinition", name, { metadata: { labels } });
  const provider = definition("azuremachinepools.infrastructure.cluster.x-k8s.io", {
    "cluster.x-k8s.io/provider": "infrastructure-azure",
  });
  const ours = definition("machinepools.cluster.x-k8s.io", { "app.kubernetes.io/managed-by": "capstan" });
  const managed = (manager: string): GivenObject =>
    pool("a", "one", { metadata: { managedFields: [{ manager, operation: "Update" }] } });

  test.each<[string, readonly GivenObject[], string]>([
    ["nothing says it", [pool("a", "one")], "Carried out by Capstan (assumed"],
    ["a CRD of ours", [ours], "Carried out by Capstan, as the labels of the CRDs say."],
    ["a CRD of CAPZ", [provider], "Carried out by CAPZ, as the labels of the CRDs say."],
    ["our field manager", [managed("capstan")], "Carried out by Capstan, as managedFields say."],
    [
      "a field manager of upstream",
      [managed("capi-machinepool")],
      "Carried out by Cluster API, as managedFields say.",
    ],
    [
      "two programs",
      [ours, provider],
      "cluster.x-k8s.io by Capstan, infrastructure.cluster.x-k8s.io by CAPZ",
    ],
  ])("is said from %s", (_, objects, line) => {
    expect(carriersOf(objects).line).toContain(line);
  });

  test("pools that CAPZ runs get no verdict, and machines of Cluster API do", () => {
    const carriers = carriersOf([provider]);
    expect(noVerdictFor(carriers, "MachinePool")).toBe("CAPZ runs it, not Capstan");
    expect(noVerdictFor(carriers, "MachineDeployment")).toBeUndefined();
    expect(noVerdictFor(carriersOf([ours]), "MachinePool")).toBeUndefined();
  });
});

describe("a workload cluster", () => {
  const pod = (name: string, more: Parts = {}): GivenObject =>
    object("v1", "Pod", name, {
      spec: { nodeName: "n", containers: [{ name: "main", image: "i", env: [] }] },
      ...more,
    });
  const of = (kind: string, name: string): Parts => ({
    metadata: { labels: { app: "web" }, ownerReferences: [{ kind, name, controller: true }] },
  });

  test("pods without their owners are kept by as many replicas, and those that no drain evicts are left out", () => {
    const { objects, assumptions } = readWorkload([
      pod("web-1", of("ReplicaSet", "web")),
      pod("web-2", of("ReplicaSet", "web")),
      pod("log-1", of("DaemonSet", "log")),
      pod("done", { status: { phase: "Succeeded" } }),
    ]);
    expect(objects).toMatchObject([{ kind: "ReplicaSet", metadata: { name: "web" }, spec: { replicas: 2 } }]);
    expect(JSON.stringify(objects)).not.toContain("nodeName");
    expect(assumptions[0]).toContain("the owners of 2 pods are not given");
  });

  test("owners that are given are not made twice", () => {
    const spec = {
      replicas: 2,
      selector: {},
      template: { spec: { nodeSelector: { a: "b" }, containers: [] } },
    };
    const { objects } = readWorkload([
      object("apps/v1", "Deployment", "web", { spec }),
      object("apps/v1", "ReplicaSet", "web-1", of("Deployment", "web")),
      pod("web-1-x", of("ReplicaSet", "web-1")),
    ]);
    expect(names(objects)).toEqual(["Deployment web"]);
    expect(JSON.stringify(objects)).not.toContain("nodeSelector");
  });
});
