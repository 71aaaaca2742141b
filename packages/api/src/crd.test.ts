import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { crdFiles } from "../../../tools/generate-crds.ts";
import { MachinePool } from "./cluster/machine-pool.ts";
import { openApiSchema, toConvertedDefinition, toCustomResourceDefinition } from "./crd.ts";
import { AzureCluster } from "./infrastructure/azure-cluster/azure-cluster.ts";
import { type CustomKind, defineKind, defineVersion } from "./kind.ts";
import { customKinds, kindOf, servedKind } from "./kinds.ts";
import { anyObject, object, optional, string } from "./schema/schema.ts";
import { ExtensionConfig } from "./runtime-extension/extension-config.ts";

const CRDS = join(import.meta.dirname, "..", "crds");

describe("the CRD of every kind", () => {
  test.each(customKinds.map((kind) => [kind.kind, kind] as const))(
    "of %s explains every field",
    (_, kind) => {
      expect(unexplained(openApiSchema(kind), "")).toEqual(["metadata"]);
    },
  );

  test("matches the files in crds/; `npm run generate` writes them", () => {
    const wanted = crdFiles(CRDS);
    // The folder also has the kustomization, which belongs to config/.
    const definitions = readdirSync(CRDS).filter((name) => name !== "kustomization.yaml");
    const files = definitions.map((name) => `${CRDS}/${name}`);
    expect(files.sort()).toEqual([...wanted.keys()].sort());
    const differing = [...wanted].filter(([path, text]) => readFileSync(path, "utf8") !== text);
    expect(differing.map(([path]) => path)).toEqual([]);
  });
});

test("has names, labels, columns, scope and subresources as Cluster API's own", () => {
  const crd = toCustomResourceDefinition(MachinePool);
  expect(crd.metadata).toEqual({
    name: "machinepools.cluster.x-k8s.io",
    labels: {
      "app.kubernetes.io/managed-by": "capstan",
      "cluster.x-k8s.io/provider": "cluster-api",
      "clusterctl.cluster.x-k8s.io": "",
    },
  });
  expect(crd.spec.names).toEqual({
    kind: "MachinePool",
    listKind: "MachinePoolList",
    plural: "machinepools",
    singular: "machinepool",
    shortNames: ["mp"],
    categories: ["cluster-api"],
  });
  expect(crd.spec.scope).toBe("Namespaced");
  expect(crd.spec.versions[0]).toMatchObject({
    name: "v1beta2",
    served: true,
    storage: true,
    subresources: {
      status: {},
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    },
  });
  expect(crd.spec.versions[0]?.additionalPrinterColumns?.map(({ name }) => name)).toEqual([
    "Cluster",
    "Desired",
    "Current",
    "Ready",
    "Available",
    "Up-to-date",
    "Paused",
    "Phase",
    "Age",
    "Version",
  ]);
});

describe("the contract labels", () => {
  const contractsOf = (kind: CustomKind): Record<string, string> => {
    const labels = Object.entries(toConvertedDefinition(kind).metadata.labels ?? {});
    const prefix = "cluster.x-k8s.io/v";
    return Object.fromEntries(
      labels.flatMap(([name, value]) =>
        name.startsWith(prefix) ? [[name.replace("cluster.x-k8s.io/", ""), value]] : [],
      ),
    );
  };
  const each = { v1beta1: "v1beta1", v1beta2: "v1beta2" };
  const both = { v1beta1: "v1beta1", v1beta2: "v1beta1" };
  const ofProviders: Record<string, Record<string, string>> = {
    AzureCluster: each,
    AzureClusterTemplate: each,
    KubeadmConfig: each,
    KubeadmConfigTemplate: each,
    KubeadmControlPlane: each,
  };

  test.each(customKinds.map((kind) => [kind.kind, kind] as const))(
    "of %s name the versions that follow each contract",
    (name, kind) => {
      const isInfrastructure = kind.group === "infrastructure.cluster.x-k8s.io";
      expect(contractsOf(kind)).toEqual(ofProviders[name] ?? (isInfrastructure ? both : {}));
    },
  );

  test("leave out versions that the definition does not serve", () => {
    const { labels } = toCustomResourceDefinition(AzureCluster).metadata;
    expect(labels).toMatchObject({ "cluster.x-k8s.io/v1beta1": "v1beta1" });
    expect(labels).not.toHaveProperty(["cluster.x-k8s.io/v1beta2"]);
  });
});

test("has the scope Cluster for kinds without a namespace", () => {
  expect(toCustomResourceDefinition(ExtensionConfig).spec.scope).toBe("Cluster");
});

test("serves further versions with the same schema and stores only the main one", () => {
  const kind = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    description: "A thing.",
    spec: anyObject("Anything."),
    alsoServed: ["v2"],
    rules: [{ rule: "true", message: "never" }],
  });
  const { versions } = toCustomResourceDefinition(kind).spec;
  expect(versions.map(({ name, served, storage }) => ({ name, served, storage }))).toEqual([
    { name: "v1", served: true, storage: true },
    { name: "v2", served: true, storage: false },
  ]);
  expect(versions[1]?.schema).toEqual(versions[0]?.schema);
  expect(versions[0]?.schema.openAPIV3Schema["x-kubernetes-validations"]).toEqual([
    { rule: "true", message: "never" },
  ]);
  expect(versions[0]).not.toHaveProperty("subresources");
});

test("has versions with other schemas only where the server converts", () => {
  const conversion = {
    toStored: () => ({ object: {}, warnings: [] }),
    fromStored: () => ({ object: {}, warnings: [] }),
  };
  const kind = defineKind({
    group: "example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    description: "A thing.",
    spec: anyObject("Anything."),
    converted: [
      defineVersion({
        version: "v2",
        spec: object("A spec.", { a: string("A field.") }),
        status: anyObject("Anything."),
        columns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
        conversion,
      }),
    ],
  });
  expect(toCustomResourceDefinition(kind).spec).not.toHaveProperty("conversion");
  expect(toCustomResourceDefinition(kind).spec.versions.map(({ name }) => name)).toEqual(["v1"]);
  const { versions, conversion: printed } = toConvertedDefinition(kind).spec;
  expect(printed).toEqual({
    strategy: "Webhook",
    webhook: {
      conversionReviewVersions: ["v1"],
      clientConfig: {
        service: { namespace: "capstan-system", name: "capstan-webhooks", path: "/convert", port: 443 },
      },
    },
  });
  expect(versions[0]).not.toHaveProperty("subresources");
  expect(versions[1]).toMatchObject({
    name: "v2",
    served: true,
    storage: false,
    subresources: { status: {} },
    additionalPrinterColumns: [{ name: "A" }],
    schema: { openAPIV3Schema: { required: ["spec"] } },
  });
});

test("requires a spec only if the spec has required fields", () => {
  const names = {
    group: "example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    description: "A thing.",
  };
  const strict = defineKind({ ...names, spec: object("A spec.", { a: string("A field.") }) });
  const lax = defineKind({ ...names, spec: object("A spec.", { a: optional(string("A field.")) }) });
  expect(openApiSchema(strict)).toMatchObject({ required: ["spec"] });
  expect(openApiSchema(lax)).not.toHaveProperty("required");
  expect(openApiSchema(lax)).toMatchObject({ properties: { spec: { default: {} } } });
});

test("a kind is found by API version and name", () => {
  expect(kindOf("cluster.x-k8s.io/v1beta2", "MachinePool")).toBe(MachinePool);
  expect(kindOf("cluster.x-k8s.io/v1beta1", "MachinePool")).toBeUndefined();
  expect(servedKind("cluster.x-k8s.io/v1beta1", "MachinePool")?.version).toBe("v1beta1");
  expect(kindOf("v1", "Pod")).toBeUndefined();
});

test("no two kinds share a name", () => {
  const names = customKinds.map(({ group, plural }) => `${plural}.${group}`);
  expect(new Set(names).size).toBe(names.length);
});

/** The paths of all named fields without a description. */
function unexplained(schema: Readonly<Record<string, unknown>>, path: string): string[] {
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Record<string, unknown>>);
  const children = [schema["items"], schema["additionalProperties"]].filter(
    (child) => typeof child === "object",
  );
  return [
    ...properties.flatMap(([name, child]) => {
      const field = path === "" ? name : `${path}.${name}`;
      return [...(child["description"] ? [] : [field]), ...unexplained(child, field)];
    }),
    ...children.flatMap((child) => unexplained(child as Record<string, unknown>, `${path}[]`)),
  ];
}
