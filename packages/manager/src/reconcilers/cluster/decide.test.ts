import { AzureCluster, type Cluster, type Kind, KubeadmControlPlane } from "@capstan/api";
import {
  azureCluster,
  cluster,
  kubeadmControlPlane,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import type { ResolvedReference } from "../../contract/resolve.ts";
import { type ApiServer, decideStatus, missingEndpoint, mustAskApiServer, type Observed } from "./decide.ts";

const endpoint = { host: "h", port: 6443 };
const seen = (kind: Kind, isFollowed = true) => ({
  target: { kind, name: { name: "demo" }, text: `${kind.kind} demo` },
  isFollowed,
});
const network = (parts: Overrides<AzureCluster> = {}, isFollowed = true): ResolvedReference => ({
  ...seen(AzureCluster, isFollowed),
  state: "found",
  object: azureCluster(parts),
});
const plane = (status: KubeadmControlPlane["status"] = {}): ResolvedReference => ({
  ...seen(KubeadmControlPlane),
  state: "found",
  object: kubeadmControlPlane({ status }),
});
const absent = (kind: Kind, state: "missing" | "notServed"): ResolvedReference => ({
  ...seen(kind, state === "missing"),
  state,
});
const answers: ApiServer = { state: "answers" };
const silent: ApiServer = {
  state: "silent",
  reason: "WaitingForKubeconfig",
  message: "There is no Secret",
  isError: false,
};
const READY = { status: { ready: true } };

test("infrastructure that was provisioned once stays so, and its condition says that it is not ready now", () => {
  const status = { initialization: { infrastructureProvisioned: true } };
  const { fields, conditions } = decideStatus(cluster({ status }), { infrastructure: network() });
  expect(fields.initialization?.infrastructureProvisioned).toBe(true);
  expect(conditions[0]).toMatchObject({ type: "InfrastructureReady", status: "False" });
});

describe("the phase of a Cluster", () => {
  test.each<[string, Overrides<Cluster>, Observed]>([
    ["Pending", {}, { infrastructure: absent(AzureCluster, "missing") }],
    [
      "Pending",
      {},
      {
        infrastructure: absent(AzureCluster, "notServed"),
        controlPlane: absent(KubeadmControlPlane, "notServed"),
      },
    ],
    ["Provisioning", {}, { infrastructure: network() }],
    ["Provisioning", {}, { infrastructure: network(READY) }],
    ["Provisioning", { spec: { controlPlaneEndpoint: endpoint } }, { infrastructure: network() }],
    ["Provisioned", { spec: { controlPlaneEndpoint: endpoint } }, { infrastructure: network(READY) }],
    ["Provisioned", { spec: { controlPlaneEndpoint: endpoint } }, { controlPlane: plane() }],
    [
      "Provisioned",
      {
        spec: { controlPlaneEndpoint: endpoint },
        status: { initialization: { infrastructureProvisioned: true } },
      },
      { infrastructure: absent(AzureCluster, "missing") },
    ],
    [
      "Deleting",
      { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
      { infrastructure: network(READY) },
    ],
  ])("is %s", (phase, overrides, observed) => {
    expect(decideStatus(cluster(overrides), observed).fields.phase).toBe(phase);
  });
});

describe("the control plane of a Cluster", () => {
  const of = (observed: Observed) => {
    const { fields, conditions, requeueReason } = decideStatus(cluster(), {
      infrastructure: network(READY),
      ...observed,
    });
    const texts = conditions.slice(1).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
    return { isReady: fields.initialization?.controlPlaneInitialized, conditions: texts, requeueReason };
  };

  test("has the state of its object by the contract", () => {
    const waits = "WaitingForControlPlaneProviderInitialized";
    expect(of({ controlPlane: plane({ initialization: { controlPlaneInitialized: true } }) })).toEqual({
      isReady: true,
      conditions: ["ControlPlaneReady=True Ready", "ControlPlaneInitialized=True Initialized"],
      requeueReason: undefined,
    });
    expect(
      of({ controlPlane: plane({ initialization: { controlPlaneInitialized: false } }), apiServer: answers }),
    ).toMatchObject({
      isReady: false,
      conditions: [
        "ControlPlaneReady=False WaitingForControlPlane",
        `ControlPlaneInitialized=False ${waits}`,
      ],
    });
  });

  test.each<[string, Observed]>([
    ["the Cluster refers to no object", {}],
    ["no controller acts on the object", { controlPlane: plane() }],
    ["the server does not serve its kind", { controlPlane: absent(KubeadmControlPlane, "notServed") }],
  ])("is ready when the API server answers if %s", (_, observed) => {
    expect(mustAskApiServer(observed)).toBe(true);
    expect(of({ ...observed, apiServer: answers })).toMatchObject({
      isReady: true,
      requeueReason: undefined,
    });
    expect(of({ ...observed, apiServer: silent })).toMatchObject({
      isReady: false,
      requeueReason: "WaitingForKubeconfig",
    });
  });

  test("is not ready when its object is missing, even if the API server answers", () => {
    const observed = { controlPlane: absent(KubeadmControlPlane, "missing") };
    expect(mustAskApiServer(observed)).toBe(false);
    expect(of({ ...observed, apiServer: answers }).isReady).toBe(false);
  });
});

describe("the endpoint of a Cluster", () => {
  const offering = network({ spec: { controlPlaneEndpoint: endpoint } });

  test("comes from the infrastructure if the spec has none", () => {
    expect(missingEndpoint(cluster(), { infrastructure: offering })).toEqual(endpoint);
    expect(
      missingEndpoint(cluster({ spec: { controlPlaneEndpoint: { host: "", port: 0 } } }), {
        infrastructure: offering,
      }),
    ).toEqual(endpoint);
    expect(missingEndpoint(cluster(), { infrastructure: network(), controlPlane: { ...offering } })).toEqual(
      endpoint,
    );
    expect(missingEndpoint(cluster(), { infrastructure: network() })).toBeUndefined();
  });

  test("is kept when the user has set one", () => {
    const given = cluster({ spec: { controlPlaneEndpoint: { host: "mine", port: 1 } } });
    expect(missingEndpoint(given, { infrastructure: offering })).toBeUndefined();
  });
});

test("objects without a watch are polled until they are ready", () => {
  const followed = { apiServer: answers };
  expect(
    decideStatus(cluster(), { ...followed, infrastructure: network({}, true) }).requeueReason,
  ).toBeUndefined();
  expect(decideStatus(cluster(), { ...followed, infrastructure: network({}, false) }).requeueReason).toBe(
    "WaitingForInfrastructure",
  );
  expect(
    decideStatus(cluster(), { ...followed, infrastructure: network(READY, false) }).requeueReason,
  ).toBeUndefined();
});

test("failure domains follow the infrastructure, and stay while it cannot be read", () => {
  const status = { failureDomains: [{ name: "1", controlPlane: true }] };
  const of = (infrastructure: ResolvedReference) =>
    decideStatus(cluster({ status }), { infrastructure }).fields.failureDomains;
  expect(of(absent(AzureCluster, "missing"))).toEqual(status.failureDomains);
  expect(of(network())).toBeUndefined();
  expect(of(network({ status: { failureDomains: { "2": {} } } }))).toEqual([{ name: "2" }]);
});
