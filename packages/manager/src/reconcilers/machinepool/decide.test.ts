import {
  AzureMachinePool,
  type Kind,
  KubeadmConfig,
  type MachinePool,
  REPLICAS_MANAGED_BY_ANNOTATION,
} from "@capstan/api";
import {
  azureMachinePool,
  kubeadmConfig,
  machinePool,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import type { ResolvedReference } from "../../contract/resolve.ts";
import { decideSpec, decideStatus, type NodesView, type Observed } from "./decide.ts";

const target = (kind: Kind) => ({
  kind,
  name: { name: "pool", namespace: "default" },
  text: `${kind.kind} pool`,
});
const found = (
  kind: Kind,
  object: Extract<ResolvedReference, { state: "found" }>["object"],
): ResolvedReference => ({
  state: "found",
  target: target(kind),
  isFollowed: true,
  object,
});

const infrastructure = (status: AzureMachinePool["status"] = {}, ids: string[] = []): ResolvedReference =>
  found(AzureMachinePool, azureMachinePool({ spec: { providerIDList: ids }, status }));
const bootstrap = (status: KubeadmConfig["status"] = {}): ResolvedReference =>
  found(KubeadmConfig, kubeadmConfig({ status }));
const counted = (ready: number, available = ready): NodesView => ({
  state: "counted",
  count: {
    refs: Array.from({ length: ready }, (_, index) => ({ name: `n${index}` })),
    ready,
    available,
    disputed: [],
    versions: ready > 0 ? [{ version: "v1.34.1", replicas: ready }] : [],
  },
});
const DATA = { ready: true, dataSecretName: "data" };
const scaled = { metadata: { annotations: { [REPLICAS_MANAGED_BY_ANNOTATION]: "autoscaler" } } };

describe("the phase of a pool", () => {
  test.each<[string, Overrides<MachinePool>, Observed]>([
    ["Pending", {}, { bootstrap: bootstrap(), infrastructure: infrastructure() }],
    ["Provisioning", {}, { bootstrap: bootstrap(DATA), infrastructure: infrastructure() }],
    ["Provisioned", {}, { bootstrap: bootstrap(DATA), infrastructure: infrastructure(), nodes: counted(1) }],
    [
      "ScalingUp",
      { spec: { replicas: 2 } },
      { bootstrap: bootstrap(DATA), infrastructure: infrastructure({ ready: true }), nodes: counted(1) },
    ],
    [
      "Running",
      { spec: { replicas: 2 } },
      { bootstrap: bootstrap(DATA), infrastructure: infrastructure({ ready: true }), nodes: counted(2) },
    ],
    [
      "Running",
      { spec: { replicas: 0 } },
      { bootstrap: bootstrap(DATA), infrastructure: infrastructure({ ready: true }), nodes: counted(0) },
    ],
    [
      "ScalingDown",
      { spec: { replicas: 1 } },
      { bootstrap: bootstrap(DATA), infrastructure: infrastructure({ ready: true }), nodes: counted(2) },
    ],
    [
      "Scaling",
      { ...scaled, spec: { replicas: 1 } },
      { bootstrap: bootstrap(DATA), infrastructure: infrastructure({ ready: true }), nodes: counted(2) },
    ],
    [
      "Failed",
      {},
      {
        bootstrap: bootstrap({ deprecated: { v1beta1: { failureReason: "Bad", failureMessage: "bad" } } }),
        infrastructure: infrastructure({ ready: true }),
      },
    ],
    [
      "Deleting",
      { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } },
      { infrastructure: infrastructure({ ready: true }) },
    ],
  ])("is %s", (phase, overrides, observed) => {
    expect(decideStatus(machinePool({ spec: { replicas: 1 } }, overrides), observed).fields.phase).toBe(
      phase,
    );
  });
});

describe("the counts of a pool", () => {
  const status = {
    readyReplicas: 3,
    availableReplicas: 2,
    replicas: 3,
    nodeRefs: [{ name: "n0" }],
    initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
  };

  test("stay unchanged while the workload cluster is unreachable", () => {
    const nodes: NodesView = {
      state: "unknown",
      reason: "WorkloadClusterUnreachable",
      message: "m",
      isError: false,
    };
    const { fields, deprecated, conditions } = decideStatus(machinePool({ spec: { replicas: 3 }, status }), {
      infrastructure: infrastructure({ ready: true }),
      nodes,
    });
    expect(deprecated.unavailableReplicas).toBe(1);
    expect(fields).toMatchObject({
      readyReplicas: 3,
      availableReplicas: 2,
      replicas: 3,
      nodeRefs: [{ name: "n0" }],
    });
    expect(conditions.at(-1)).toMatchObject({
      type: "ReplicasReady",
      status: "Unknown",
      reason: "WorkloadClusterUnreachable",
    });
  });

  test("are not reset while infrastructure and config cannot be read", () => {
    const missing: ResolvedReference = {
      state: "missing",
      target: target(AzureMachinePool),
      isFollowed: true,
    };
    const { fields, conditions } = decideStatus(machinePool({ spec: { replicas: 3 }, status }), {
      infrastructure: missing,
      bootstrap: missing,
    });
    expect(fields).toMatchObject({ initialization: status.initialization, replicas: 3 });
    expect(conditions[1]).toMatchObject({
      status: "False",
      severity: "Error",
      message: "AzureMachinePool pool does not exist yet",
    });
  });
});

describe("the spec of a pool", () => {
  test("gets the bootstrap data and the machines once they are ready", () => {
    const pool = machinePool({ spec: { replicas: 3 } });
    expect(decideSpec(pool, { bootstrap: bootstrap(), infrastructure: infrastructure({}, ["a"]) })).toEqual(
      {},
    );
    expect(
      decideSpec(pool, {
        bootstrap: bootstrap(DATA),
        infrastructure: infrastructure({ ready: true, replicas: 1 }, ["a"]),
      }),
    ).toEqual({
      dataSecretName: "data",
      providerIDList: ["a"],
    });
  });

  test.each([
    [{ ready: true, replicas: 5 }, ["a"], 5],
    [{ ready: true, replicas: 1 }, ["a", "b", "c"], 3],
    [{ ready: true, replicas: 0 }, [], 0],
    [{ ready: true, replicas: 3, externalReplicas: 2 }, ["a", "b", "c"], 2],
    [{ ready: false, replicas: 5 }, [], undefined],
    [{ ready: true }, ["a"], undefined],
  ])("scaled by an autoscaler with %j and the machines %j has %s replicas", (status, ids, replicas) => {
    expect(decideSpec(machinePool(scaled), { infrastructure: infrastructure(status, ids) }).replicas).toBe(
      replicas,
    );
  });

  test("belongs to the user alone when the annotation is false", () => {
    const pool = machinePool({ metadata: { annotations: { [REPLICAS_MANAGED_BY_ANNOTATION]: "false" } } });
    expect(
      decideSpec(pool, { infrastructure: infrastructure({ ready: true, replicas: 5 }) }).replicas,
    ).toBeUndefined();
  });
});
