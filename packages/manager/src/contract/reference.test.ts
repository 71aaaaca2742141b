import { AzureCluster } from "@capstan/api";
import { Failure } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { pluralOf, referenceKey, targetOf } from "./reference.ts";

const place = { field: "spec.infrastructureRef", namespace: "default" };
const good = { apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1", kind: "AzureCluster", name: "demo" };

describe("a reference", () => {
  test("to a kind of Capstan resolves to that kind", () => {
    expect(targetOf({ ...place, reference: good })).toEqual({
      kind: AzureCluster,
      name: { name: "demo", namespace: "default" },
      text: "AzureCluster demo",
    });
  });

  test("to any other kind resolves by Cluster API's rule", () => {
    const reference = { ...good, kind: "VSphereCluster", namespace: "default" };
    const { kind } = targetOf({ ...place, reference });
    expect(kind).toMatchObject({
      group: "infrastructure.cluster.x-k8s.io",
      version: "v1beta1",
      plural: "vsphereclusters",
      namespaced: true,
    });
  });

  test.each([
    ["VSphereCluster", "vsphereclusters"],
    ["AzureASOManagedControlPlane", "azureasomanagedcontrolplanes"],
    ["Proxy", "proxies"],
    ["Gateway", "gateways"],
    ["Access", "accesses"],
    ["Box", "boxes"],
  ])("to a %s resolves to %s", (kind, plural) => {
    expect(pluralOf(kind)).toBe(plural);
  });

  test.each([
    [{ name: "" }, "spec.infrastructureRef.name is empty"],
    [{ kind: undefined }, "spec.infrastructureRef.kind is empty"],
    [{ apiVersion: undefined }, "spec.infrastructureRef.apiVersion is empty"],
    [{ namespace: "other" }, 'spec.infrastructureRef.namespace is "other"; it must be "default"'],
    [{ apiVersion: "v1" }, 'spec.infrastructureRef.apiVersion "v1"'],
    [
      { apiVersion: "apps/v1" },
      'spec.infrastructureRef.apiVersion "apps/v1" is not the API version of a provider',
    ],
    [{ apiVersion: "rbac.authorization.k8s.io/v1" }, "is not the API version of a provider"],
    [{ apiVersion: "cluster.x-k8s.io/v1beta1" }, "is not the API version of a provider"],
    [{ apiVersion: "a.example.com/v1/../../x" }, "is not an API version of a provider"],
    [{ apiVersion: "A.example.com/v1" }, "is not an API version of a provider"],
    [{ kind: "azureCluster" }, 'spec.infrastructureRef.kind "azureCluster" is not a kind'],
    [{ kind: "A/../../secrets" }, 'spec.infrastructureRef.kind "A/../../secrets" is not a kind'],
  ])("with %j is refused, naming field and value", (part, message) => {
    const reference = { ...good, ...part } as typeof good;
    const failure = failureOf(() => targetOf({ ...place, reference }));
    expect(failure).toMatchObject({ failure: "Terminal", reason: "IncorrectExternalRef" });
    expect(failure.message).toContain(message);
  });

  test("has the same key in every version of its kind, and another in another namespace", () => {
    const newer = { ...good, apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2" };
    expect(referenceKey(newer, "default")).toBe(referenceKey(good, "default"));
    expect(referenceKey(good, "other")).not.toBe(referenceKey(good, "default"));
    expect(referenceKey({ ...good, name: "demo-1" }, "default")).not.toBe(referenceKey(good, "default"));
  });
});

function failureOf(run: () => unknown): Failure {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("expected a failure");
}
