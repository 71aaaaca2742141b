/** Both versions of our kinds on the embedded server: v1beta2 is stored, v1beta1 is converted. */
import { customKinds } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { DATA, type Fields, GROUPS, newServer, path } from "./door-server.ts";

const MD1 = path("v1beta1", "machinedeployments");
const MD2 = path("v1beta2", "machinedeployments");

const REFERENCES = {
  newer: {
    bootstrap: {
      configRef: { apiGroup: GROUPS.bootstrap, kind: "KubeadmConfigTemplate", name: "workers" },
    },
    infrastructureRef: {
      apiGroup: "infrastructure.cluster.x-k8s.io",
      kind: "AzureMachineTemplate",
      name: "workers",
    },
  },
  older: {
    bootstrap: {
      configRef: {
        // The label of contract v1beta1 says which version.
        apiVersion: `${GROUPS.bootstrap}/v1beta1`,
        kind: "KubeadmConfigTemplate",
        name: "workers",
        namespace: "default",
      },
    },
    infrastructureRef: {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "AzureMachineTemplate",
      name: "workers",
      namespace: "default",
    },
  },
};

const deployment = (spec: object = {}): object => ({
  apiVersion: `${GROUPS.core}/v1beta2`,
  kind: "MachineDeployment",
  metadata: { name: "workers" },
  spec: {
    clusterName: "pier",
    selector: { matchLabels: {} },
    template: {
      spec: {
        clusterName: "pier",
        version: "v1.34.0",
        minReadySeconds: 30,
        deletion: { nodeDrainTimeoutSeconds: 600 },
        ...REFERENCES.newer,
      },
    },
    ...spec,
  },
});

const olderDeployment = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: `${GROUPS.core}/v1beta1`,
  kind: "MachineDeployment",
  metadata: { name: "workers", ...metadata },
  spec: {
    clusterName: "pier",
    selector: { matchLabels: {} },
    template: { spec: { clusterName: "pier", version: "v1.34.0", ...REFERENCES.older } },
    ...spec,
  },
});

describe("a MachineDeployment of v1beta2", () => {
  test("is stored as the same deployment of v1beta1 would be, with its defaults", async () => {
    const server = newServer();
    const { status, body } = await server.create(
      MD2,
      deployment({ rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } } } }),
    );
    expect([status, body.apiVersion]).toEqual([201, `${GROUPS.core}/v1beta2`]);
    expect(body.spec).toMatchObject({
      replicas: 1,
      rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } },
      template: { spec: { deletion: { nodeDrainTimeoutSeconds: 600, nodeDeletionTimeoutSeconds: 10 } } },
    });
    const stored = (await server.get(`${MD1}/workers`)).body;
    expect(stored.spec).toMatchObject({
      minReadySeconds: 30,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } },
      template: {
        spec: { nodeDrainTimeout: "10m0s", nodeDeletionTimeout: "10s", ...REFERENCES.older },
      },
    });
    expect(stored.metadata.annotations).toBeUndefined();
  });

  test("is refused by the rules of the stored version", async () => {
    const server = newServer();
    const answer = await server.create(MD2, deployment({ rollout: { strategy: { type: "InPlace" } } }));
    expect([answer.status, String(answer.body["message"])]).toEqual([
      422,
      expect.stringContaining("needs the feature gate InPlaceUpdates"),
    ]);
  });

  test("keeps in mind what only v1beta2 says", async () => {
    const server = newServer();
    await server.create(MD2, deployment({ paused: false }));
    const stored = (await server.get(`${MD1}/workers`)).body;
    expect([stored.spec["paused"], stored.metadata.annotations]).toEqual([
      false,
      { [DATA]: '{"spec":{"paused":false}}' },
    ]);
    const shown = (await server.get(`${MD2}/workers`)).body;
    expect([shown.spec["paused"], shown.metadata.annotations]).toEqual([false, undefined]);
    await server.merge(`${MD1}/workers`, { spec: { paused: true } });
    expect((await server.get(`${MD2}/workers`)).body.spec["paused"]).toBe(true);
  });

  test("changes nothing of the stored object but what it says", async () => {
    const server = newServer();
    const spec = { revisionHistoryLimit: 3, progressDeadlineSeconds: 60, paused: false };
    await server.create(MD1, olderDeployment(spec));
    const before = (await server.get(`${MD1}/workers`)).body;
    const patched = await server.merge(`${MD2}/workers`, { spec: { replicas: 4 } });
    expect(patched.body.metadata.annotations).toEqual({ "capstan.dev/revision-history-limit": "3" });
    const after = (await server.get(`${MD1}/workers`)).body;
    expect(after.spec).toEqual({ ...before.spec, replicas: 4 });
    expect(after.metadata.annotations).toBeUndefined();
    await server.merge(`${MD2}/workers`, {
      metadata: { annotations: { "capstan.dev/revision-history-limit": "5" } },
    });
    expect((await server.get(`${MD1}/workers`)).body.spec["revisionHistoryLimit"]).toBe(5);
  });

  test("is not written by a client of v1beta1 that says the same in other words", async () => {
    const server = newServer();
    await server.create(MD2, deployment());
    // What kubectl sends for a manifest of v1beta1: the server shows 10m0s, and v1beta2 in the reference.
    const configRef = { ...REFERENCES.older.bootstrap.configRef, apiVersion: `${GROUPS.bootstrap}/v1beta1` };
    const said = (nodeDrainTimeout: string): object => ({
      spec: { template: { spec: { nodeDrainTimeout, bootstrap: { configRef } } } },
    });
    const { metadata } = (await server.merge(`${MD1}/workers`, said("10m"))).body;
    expect(metadata.generation).toBe(1);
    for (const place of [`${MD1}/workers?dryRun=All`, `${MD1}/workers`]) {
      const { status, body } = await server.merge(place, said("600s"));
      expect([status, body.metadata]).toEqual([200, metadata]);
    }
    const changed = (await server.merge(`${MD1}/workers`, said("11m"))).body.metadata;
    expect(changed.generation).toBe(2);
    expect(changed["resourceVersion"]).not.toBe(metadata["resourceVersion"]);
  });

  test("with a reference to an unknown kind gets a version when it is read in v1beta1", async () => {
    const server = newServer();
    const template = {
      spec: {
        clusterName: "pier",
        ...REFERENCES.newer,
        infrastructureRef: { apiGroup: "boats.example.com", kind: "Boat", name: "workers" },
      },
    };
    expect((await server.create(MD2, deployment({ template }))).status).toBe(201);
    const { spec } = (await server.get(`${MD1}/workers`)).body;
    expect(spec).toMatchObject({
      template: { spec: { infrastructureRef: { apiVersion: "boats.example.com/v1beta1", kind: "Boat" } } },
    });
  });

  test("of v1beta1 with a reference to another namespace is warned about", async () => {
    const server = newServer();
    const { infrastructureRef } = REFERENCES.older;
    const template = {
      spec: {
        clusterName: "pier",
        ...REFERENCES.older,
        infrastructureRef: { ...infrastructureRef, namespace: "other" },
      },
    };
    const answer = await server.create(MD1, olderDeployment({ template }, { namespace: "default" }));
    expect([answer.status, answer.warning]).toEqual([
      201,
      expect.stringMatching(/infrastructureRef\.namespace: .*other.* was dropped/),
    ]);
  });

  test.each([
    ["is not a duration", "1d", 'spec.template.spec.deletion.nodeDrainTimeoutSeconds: Invalid value: "1d"'],
    ["is negative", "-5m", "spec.template.spec.deletion.nodeDrainTimeoutSeconds: Invalid value: -300"],
  ])("of v1beta1 with a timeout that %s is refused", async (_, nodeDrainTimeout, message) => {
    const server = newServer();
    const template = { spec: { clusterName: "pier", ...REFERENCES.older, nodeDrainTimeout } };
    const answer = await server.create(MD1, olderDeployment({ template }));
    expect([answer.status, String(answer.body["message"])]).toEqual([422, expect.stringContaining(message)]);
  });

  test("is applied by managers of both versions", async () => {
    const server = newServer();
    await server.apply(`${MD1}/workers`, "one", olderDeployment({ replicas: 2 }));
    const paused = { apiVersion: `${GROUPS.core}/v1beta2`, kind: "MachineDeployment" };
    const two = await server.apply(`${MD2}/workers`, "two", {
      ...paused,
      metadata: { name: "workers" },
      spec: { paused: true, deletion: { order: "Oldest" } },
    });
    expect(two.status).toBe(200);
    const conflict = await server.apply(`${MD2}/workers`, "three", {
      ...paused,
      metadata: { name: "workers" },
      spec: { replicas: 5, deletion: { order: "Newest" } },
    });
    expect([conflict.status, String(conflict.body["message"]).split("\n")]).toEqual([
      409,
      [
        'Apply failed with 2 conflicts: conflicts with "one":',
        "- .spec.replicas",
        'conflicts with "two":',
        "- .spec.deletion.order",
      ],
    ]);
    const stored = (await server.get(`${MD1}/workers`)).body;
    expect(stored.spec).toMatchObject({
      replicas: 2,
      paused: true,
      strategy: { rollingUpdate: { deletePolicy: "Oldest" } },
    });
  });
});

describe("a forged restore annotation", () => {
  test.each([
    ["is no JSON", "{"],
    ["is no object", '"x"'],
    ["is too long", `{"x":"${"y".repeat(300_000)}"}`],
  ])("that %s is ignored", async (_, text) => {
    const [kind] = customKinds.filter((one) => one.kind === "MachineDeployment");
    const up = kind?.converted[0]?.conversion.toStored;
    const result = up?.(olderDeployment({}, { annotations: { [DATA]: text } }) as Fields, {
      versionOf: () => undefined,
    });
    expect(result?.object["metadata"]).toEqual({ name: "workers" });
    expect(result?.warnings).toEqual([expect.stringContaining(`metadata.annotations[${DATA}]`)]);
  });
});

describe("a KubeadmControlPlane", () => {
  test("patched in v1beta2 keeps what v1beta2 takes from other objects", async () => {
    const server = newServer();
    const group = "controlplane.cluster.x-k8s.io";
    const older = path("v1beta1", "kubeadmcontrolplanes", group);
    const newer = path("v1beta2", "kubeadmcontrolplanes", group);
    const created = await server.create(older, {
      apiVersion: `${group}/v1beta1`,
      kind: "KubeadmControlPlane",
      metadata: { name: "pier" },
      spec: {
        version: "v1.34.0",
        machineTemplate: { infrastructureRef: REFERENCES.older.infrastructureRef },
        kubeadmConfigSpec: {
          clusterConfiguration: {
            kubernetesVersion: "v1.34.0",
            networking: { dnsDomain: "cluster.local" },
            apiServer: { extraArgs: { "z-last": "1", "a-first": "" }, timeoutForControlPlane: "20m" },
          },
          files: [{ path: "/etc/a", append: false, content: "a" }],
        },
      },
    });
    expect([created.status, created.body["message"]]).toEqual([201, undefined]);
    const shown = (await server.get(`${newer}/pier`)).body;
    expect(shown.spec["kubeadmConfigSpec"]).toMatchObject({
      clusterConfiguration: {
        apiServer: {
          extraArgs: [
            { name: "a-first", value: "" },
            { name: "z-last", value: "1" },
          ],
        },
      },
      initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 1200 } },
    });
    await server.merge(`${newer}/pier`, { spec: { version: "v1.35.0" } });
    const after = (await server.get(`${older}/pier`)).body;
    expect(after.spec).toEqual({ ...created.body.spec, version: "v1.35.0" });
  });
});

test("a v1beta1 manifest that is applied again changes nothing, with its own words for versions and times", async () => {
  const server = newServer();
  const { body } = await server.create(
    MD1,
    olderDeployment({
      template: {
        spec: { clusterName: "pier", version: "v1.34.0", nodeDrainTimeout: "10m", ...REFERENCES.older },
      },
    }),
  );
  // What kubectl computes: the fields that the server shows in other words.
  const patch = { spec: { template: { spec: { nodeDrainTimeout: "10m", ...REFERENCES.older } } } };
  expect((await server.merge(`${MD1}/workers`, patch)).body.metadata).toEqual(body.metadata);
});

describe("an AzureCluster", () => {
  const group = "infrastructure.cluster.x-k8s.io";
  const [older, newer] = ["v1beta1", "v1beta2"].map((version) => path(version, "azureclusters", group)) as [
    string,
    string,
  ];
  const azureCluster = (version: string, spec: object = {}): object => ({
    apiVersion: `${group}/${version}`,
    kind: "AzureCluster",
    metadata: { name: "pier" },
    spec: {
      location: "westeurope",
      subscriptionID: "11111111-2222-3333-4444-555555555555",
      identityRef: { kind: "AzureClusterIdentity", name: "identity" },
      ...spec,
    },
  });

  test("has its failure domains as a map in v1beta1 and as a sorted list in v1beta2", async () => {
    const server = newServer();
    const created = await server.create(older, azureCluster("v1beta1"));
    expect([created.status, created.body["message"]]).toEqual([201, undefined]);
    const status = {
      ready: true,
      initialization: { provisioned: true },
      failureDomains: { "2": { controlPlane: true }, "1": { attributes: { rack: "a" } } },
    };
    expect((await server.merge(`${older}/pier/status`, { status })).status).toBe(200);
    const shown = (await server.get(`${newer}/pier`)).body;
    expect(shown.apiVersion).toBe(`${group}/v1beta2`);
    expect(shown.status).toEqual({
      ready: true,
      initialization: { provisioned: true },
      failureDomains: [
        { name: "1", controlPlane: false, attributes: { rack: "a" } },
        { name: "2", controlPlane: true },
      ],
    });
    expect(shown.spec).toEqual((await server.get(`${older}/pier`)).body.spec);
    const changed = await server.merge(`${newer}/pier/status`, {
      status: { failureDomains: [{ name: "3", controlPlane: true }] },
    });
    expect([changed.status, changed.warning]).toEqual([200, undefined]);
    const stored = (await server.get(`${older}/pier`)).body;
    expect(stored.status["failureDomains"]).toEqual({ "3": { controlPlane: true } });
    expect(stored.metadata.annotations).toBeUndefined();
  });

  test("shows an empty endpoint of v1beta1 in v1beta2 as none, and takes the defaults of the stored version", async () => {
    const server = newServer();
    const created = await server.create(
      older,
      azureCluster("v1beta1", { controlPlaneEndpoint: { host: "", port: 0 } }),
    );
    expect(created.status).toBe(201);
    expect((await server.get(`${newer}/pier`)).body.spec).not.toHaveProperty("controlPlaneEndpoint");
    const other = newServer();
    const defaulted = await other.create(newer, azureCluster("v1beta2"));
    expect(defaulted.body.spec).toMatchObject({
      resourceGroup: "pier",
      networkSpec: { vnet: { name: "pier-vnet" } },
    });
  });

  // Admission sets defaults in the stored version, and what comes back from there has no empty fields.
  test.each([{}, { host: "" }, { port: 0 }])(
    "of v1beta2 with the endpoint %j has none",
    async (controlPlaneEndpoint) => {
      const server = newServer();
      const { status, body } = await server.create(newer, azureCluster("v1beta2", { controlPlaneEndpoint }));
      expect(status).toBe(201);
      expect(body.spec).not.toHaveProperty("controlPlaneEndpoint");
    },
  );

  test("of v1beta2 with an impossible port is refused, and nothing is stored", async () => {
    const server = newServer();
    const spec = { controlPlaneEndpoint: { host: "pier.example.com", port: 70_000 } };
    const answer = await server.create(newer, azureCluster("v1beta2", spec));
    expect([answer.status, String(answer.body["message"])]).toEqual([
      422,
      expect.stringContaining("spec.controlPlaneEndpoint.port: Invalid value: 70000"),
    ]);
    expect((await server.get(`${older}/pier`)).status).toBe(404);
  });

  test("is named by its v1beta1 in clusters of v1beta1, whose clients follow that contract", async () => {
    const server = newServer();
    const clusters = path("v1beta1", "clusters");
    await server.create(path("v1beta2", "clusters"), {
      apiVersion: `${GROUPS.core}/v1beta2`,
      kind: "Cluster",
      metadata: { name: "pier" },
      spec: { infrastructureRef: { apiGroup: group, kind: "AzureCluster", name: "pier" } },
    });
    expect((await server.get(`${clusters}/pier`)).body.spec["infrastructureRef"]).toMatchObject({
      apiVersion: `${group}/v1beta1`,
    });
  });
});
