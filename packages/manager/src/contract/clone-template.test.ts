import { describe, expect, test } from "vitest";
import { cloneTemplate } from "./clone-template.ts";
import type { ContractObject } from "./contract-object.ts";

const template = (parts: Partial<ContractObject> = {}): ContractObject => ({
  apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
  kind: "VSphereMachineTemplate",
  metadata: {
    name: "workers",
    namespace: "default",
    labels: { of: "the template" },
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
  },
  spec: {
    template: { metadata: { labels: { tier: "a", zone: "1" } }, spec: { numCPUs: 4, disks: [{ size: 1 }] } },
  },
  ...parts,
});
const owner = { apiVersion: "cluster.x-k8s.io/v1beta1", kind: "MachineSet", name: "ms", uid: "u1" };

describe("a clone of a template", () => {
  test("has the kind without the suffix, the inner spec, and shows where it comes from", () => {
    const options = { name: "ms-x1", clusterName: "demo", labels: { zone: "2" }, owner };
    expect(cloneTemplate(template(), options)).toEqual({
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "VSphereMachine",
      metadata: {
        name: "ms-x1",
        namespace: "default",
        labels: { tier: "a", zone: "2", "cluster.x-k8s.io/cluster-name": "demo" },
        annotations: {
          "cluster.x-k8s.io/cloned-from-name": "workers",
          "cluster.x-k8s.io/cloned-from-groupkind": "VSphereMachineTemplate.infrastructure.cluster.x-k8s.io",
        },
        ownerReferences: [owner],
      },
      spec: { numCPUs: 4, disks: [{ size: 1 }] },
    });
  });

  test("shares nothing with its template, which is a frozen object of the cache", () => {
    const source = template();
    const clone = cloneTemplate(source, { name: "a", clusterName: "demo" }) as ContractObject;
    (clone.spec as { disks: object[] }).disks.push({ size: 2 });
    expect(source).toEqual(template());
  });

  test.each<[string, Partial<ContractObject>, string]>([
    [
      "a kind without the suffix",
      { kind: "VSphereMachine" },
      "VSphereMachine workers cannot be cloned: a kind that can be cloned ends with Template, such as AzureMachineTemplate",
    ],
    [
      "no inner spec",
      { spec: { template: {} } },
      "VSphereMachineTemplate workers cannot be cloned: spec.template.spec is not an object",
    ],
    [
      "no spec at all",
      { spec: undefined },
      "VSphereMachineTemplate workers cannot be cloned: spec.template.spec is not an object",
    ],
  ])("is refused for %s, and the template is named", (_, parts, message) => {
    expect(() => cloneTemplate(template(parts), { name: "a", clusterName: "demo" })).toThrow(message);
  });
});
