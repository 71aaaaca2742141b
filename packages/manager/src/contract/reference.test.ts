import { AzureCluster } from "@capstan/api";
import { Failure } from "@capstan/runtime";
import { describe, expect, test } from "vitest";
import { forgetVersion } from "./kind-version.ts";
import { pluralOf, referenceKey, targetOf } from "./reference.ts";

const GROUP = "infrastructure.cluster.x-k8s.io";
const place = { field: "spec.infrastructureRef", namespace: "default" };
const good = { apiGroup: GROUP, kind: "AzureCluster", name: "demo" };

/** A server with one CRD, or with none. */
const serverWith = (definition?: object) => ({ find: () => Promise.resolve(definition as never) });

/** The CRD of a provider: its contract labels, and the versions of which the first is stored. */
const definition = (labels: object, ...versions: readonly string[]) => ({
  metadata: { labels },
  spec: { versions: versions.map((name, at) => ({ name, storage: at === 0 })) },
});

describe("a reference", () => {
  test("to a kind of Capstan resolves to that kind, without a look at the server", async () => {
    const client = { find: () => Promise.reject(new Error("not to be called")) };
    expect(await targetOf(client, { ...place, reference: good })).toEqual({
      kind: AzureCluster,
      name: { name: "demo", namespace: "default" },
      text: "AzureCluster demo",
    });
  });

  test("to any other kind resolves by Cluster API's rule", async () => {
    const reference = { ...good, kind: "VSphereCluster" };
    const { kind } = await targetOf(serverWith(), { ...place, reference });
    expect(kind).toMatchObject({
      group: GROUP,
      version: "v1beta1",
      plural: "vsphereclusters",
      namespaced: true,
    });
  });

  test.each([
    ["the newer contract", definition({ "cluster.x-k8s.io/v1beta2": "v1beta2_v1" }, "v1beta1"), "v1"],
    ["the older contract", definition({ "cluster.x-k8s.io/v1beta1": "v1alpha4" }, "v1beta1"), "v1alpha4"],
    ["no contract: its stored version", definition({}, "v1beta3", "v1beta1"), "v1beta3"],
  ])("has the version that its CRD names for %s", async (_, crd, version) => {
    const reference = { ...good, kind: "VSphereCluster" };
    const { kind } = await targetOf(serverWith(crd), { ...place, reference });
    expect(kind.apiVersion).toBe(`${GROUP}/${version}`);
  });

  test("has the assumed version if its CRD may not be read", async () => {
    const client = { find: () => Promise.reject(new Failure("Terminal", "Forbidden", { message: "no" })) };
    const { kind } = await targetOf(client, { ...place, reference: { ...good, kind: "VSphereCluster" } });
    expect(kind.version).toBe("v1beta1");
  });

  test("asks the server once for the version of a kind, and again after the kind is gone", async () => {
    let asked = 0;
    const client = {
      find: () => {
        asked += 1;
        return Promise.resolve(definition({}, "v1beta1") as never);
      },
    };
    const reference = { ...good, kind: "VSphereCluster" };
    const { kind } = await targetOf(client, { ...place, reference });
    await targetOf(client, { ...place, reference });
    expect(asked).toBe(1);
    forgetVersion(client, kind);
    await targetOf(client, { ...place, reference });
    expect(asked).toBe(2);
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
    [{ apiGroup: undefined }, "spec.infrastructureRef.apiGroup is empty"],
    [{ apiGroup: "apps" }, 'spec.infrastructureRef.apiGroup "apps" is not the API group of a provider'],
    [{ apiGroup: "rbac.authorization.k8s.io" }, "is not the API group of a provider"],
    [{ apiGroup: "cluster.x-k8s.io" }, "is not the API group of a provider"],
    [{ apiGroup: "a.example.com/v1/../../x" }, "is not the API group of a provider"],
    [{ apiGroup: "A.example.com" }, "is not the API group of a provider"],
    [{ kind: "azureCluster" }, 'spec.infrastructureRef.kind "azureCluster" is not a kind'],
    [{ kind: "A/../../secrets" }, 'spec.infrastructureRef.kind "A/../../secrets" is not a kind'],
  ])("with %j is refused, naming field and value", async (part, message) => {
    const reference = { ...good, ...part } as typeof good;
    const failure = await failureOf(targetOf(serverWith(), { ...place, reference }));
    expect(failure).toMatchObject({ failure: "Terminal", reason: "IncorrectExternalRef" });
    expect(failure.message).toContain(message);
  });

  test("has another key in another namespace, and for another name", () => {
    expect(referenceKey({ ...good }, "default")).toBe(referenceKey(good, "default"));
    expect(referenceKey(good, "other")).not.toBe(referenceKey(good, "default"));
    expect(referenceKey({ ...good, name: "demo-1" }, "default")).not.toBe(referenceKey(good, "default"));
  });
});

async function failureOf(run: Promise<unknown>): Promise<Failure> {
  try {
    await run;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("expected a failure");
}
