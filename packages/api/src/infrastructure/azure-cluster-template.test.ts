import { describe, expect, test } from "vitest";
import { deepCopy } from "../values/deep-copy.ts";
import { validateObject } from "../admission.ts";
import { AzureClusterTemplate } from "./azure-cluster-template.ts";
import { AzureMachineTemplate } from "./azure-machine-template.ts";

const identityRef = {
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind: "AzureClusterIdentity",
  name: "id",
};

function template(spec: object = {}): AzureClusterTemplate {
  return {
    apiVersion: AzureClusterTemplate.apiVersion,
    kind: AzureClusterTemplate.kind,
    metadata: { name: "quick-start", namespace: "default" },
    spec: { template: { spec: { location: "westeurope", identityRef, ...spec } } },
  };
}

const errorsOf = (
  object: AzureClusterTemplate,
  rest: { readonly old?: AzureClusterTemplate; readonly isDryRun?: boolean } = {},
): readonly string[] =>
  validateObject(AzureClusterTemplate, { object, ...rest }).errors.map(
    ({ field, message }) => `${field}: ${message}`,
  );

describe("a template of AzureClusters", () => {
  test.each<[string, object]>([
    ["with a location alone", {}],
    ["whose identity a variable gives", { identityRef: undefined }],
    [
      "with subnets and a load balancer",
      {
        networkSpec: {
          vnet: { cidrBlocks: ["10.0.0.0/8"] },
          subnets: [
            { name: "control-plane", role: "control-plane", cidrBlocks: ["10.0.0.0/16"] },
            {
              name: "node",
              role: "node",
              natGateway: { name: "nodes" },
              securityGroup: { securityRules: [] },
            },
          ],
          apiServerLB: { type: "Internal" },
        },
      },
    ],
  ])("%s is accepted", (_, spec) => {
    expect(errorsOf(template(spec))).toEqual([]);
  });

  test.each<[string, object, string]>([
    [
      "a cloud that is not supported",
      { azureEnvironment: "AzureChinaCloud" },
      "spec.template.spec.azureEnvironment",
    ],
    [
      "a range that is not one",
      { networkSpec: { vnet: { cidrBlocks: ["10.0.0.0"] } } },
      "spec.template.spec.networkSpec.vnet.cidrBlocks",
    ],
    [
      "an edge zone",
      { extendedLocation: { name: "a", type: "EdgeZone" } },
      "spec.template.spec.extendedLocation",
    ],
    [
      "an identity of another kind",
      { identityRef: { ...identityRef, kind: "Secret" } },
      "spec.template.spec.identityRef.kind",
    ],
  ])("with %s is refused, with the path in the template", (_, spec, path) => {
    expect(errorsOf(template(spec)).join()).toContain(path);
  });
});

describe("a template that changes", () => {
  const old = template();
  const changed = (): AzureClusterTemplate => {
    const next = deepCopy<AzureClusterTemplate>(old);
    next.spec.template.spec.additionalTags = { team: "a" };
    return next;
  };
  const asked = (): AzureClusterTemplate => {
    const next = changed();
    next.metadata.annotations = { "topology.cluster.x-k8s.io/dry-run": "" };
    return next;
  };

  test("is refused", () => {
    expect(errorsOf(changed(), { old })).toEqual([
      expect.stringContaining("spec.template.spec: Forbidden: cannot change"),
    ]);
  });

  test("passes as a dry run with which Cluster API's core compares templates, and only then", () => {
    expect(errorsOf(asked(), { old, isDryRun: true })).toEqual([]);
    expect(errorsOf(asked(), { old })).toHaveLength(1);
    expect(errorsOf(changed(), { old, isDryRun: true })).toHaveLength(1);
  });

  test("of AzureMachines passes as such a dry run, too", () => {
    const machines = (vmSize: string, annotations = {}) =>
      ({
        apiVersion: AzureMachineTemplate.apiVersion,
        kind: AzureMachineTemplate.kind,
        metadata: { name: "workers", namespace: "default", annotations },
        spec: { template: { spec: { vmSize, osDisk: { osType: "Linux", diskSizeGB: 30 } } } },
      }) as AzureMachineTemplate;
    const object = machines("Standard_D4s_v3", { "topology.cluster.x-k8s.io/dry-run": "" });
    const before = machines("Standard_D2s_v3");
    expect(validateObject(AzureMachineTemplate, { object, old: before, isDryRun: true }).errors).toEqual([]);
    expect(validateObject(AzureMachineTemplate, { object, old: before }).errors).toHaveLength(1);
  });
});
