/** Defaults and validation of the kinds that manage machines. */
import { describe, expect, test } from "vitest";
import { validateObject, withDefaults } from "../admission.ts";
import { DEFAULT_FEATURES } from "../features.ts";
import type { CustomKind } from "../kind.ts";
import type { KubernetesObject } from "../kubernetes/meta.ts";
import { formatFieldError } from "../values/field-error.ts";
import { Machine } from "./machine.ts";
import { MachineDeployment } from "./machine-deployment.ts";
import type { MachineTemplateSpec } from "./v1beta2/fields.ts";
import { MachinePool } from "./machine-pool.ts";
import { MachineSet } from "./machine-set.ts";

const ALL_FEATURES = { ...DEFAULT_FEATURES, InPlaceUpdates: true };
const MIN_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
const MAX_SIZE = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";

const INFRASTRUCTURE = "infrastructure.cluster.x-k8s.io";

function template(spec: Partial<MachineTemplateSpec> = {}): MachineTemplateSpec {
  return {
    clusterName: "c1",
    bootstrap: {
      configRef: { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "KubeadmConfigTemplate", name: "boot" },
    },
    infrastructureRef: { apiGroup: INFRASTRUCTURE, kind: "AzureMachineTemplate", name: "infra" },
    ...spec,
  };
}

type Strategy = NonNullable<NonNullable<MachineDeployment["spec"]["rollout"]>["strategy"]>;

const meta = { name: "workers", namespace: "fleet" };

function pool(
  spec: Partial<MachinePool["spec"]> = {},
  metadata: Partial<MachinePool["metadata"]> = {},
): MachinePool {
  return {
    apiVersion: "",
    kind: "MachinePool",
    metadata: { ...meta, ...metadata },
    spec: { clusterName: "c1", template: { spec: template() }, ...spec },
  };
}

function deployment(spec: Partial<MachineDeployment["spec"]> = {}, name = "workers"): MachineDeployment {
  return {
    apiVersion: "",
    kind: "MachineDeployment",
    metadata: { ...meta, name },
    spec: { clusterName: "c1", selector: {}, template: { spec: template() }, ...spec },
  };
}

function set(
  spec: Partial<MachineSet["spec"]> = {},
  metadata: Partial<MachineSet["metadata"]> = {},
): MachineSet {
  return {
    apiVersion: "",
    kind: "MachineSet",
    metadata: { ...meta, ...metadata },
    spec: { clusterName: "c1", selector: {}, template: { spec: template() }, ...spec },
  };
}

function machine(spec: Partial<Machine["spec"]> = {}, labels: Record<string, string> = {}): Machine {
  return { apiVersion: "", kind: "Machine", metadata: { ...meta, labels }, spec: { ...template(), ...spec } };
}

/** The errors of an object after defaulting. */
function errorsOf<T extends KubernetesObject>(kind: CustomKind<T>, object: T, old?: T): string[] {
  const filled = withDefaults(kind, object);
  const features = ALL_FEATURES;
  const request = old
    ? { object: filled, features, old: withDefaults(kind, old) }
    : { object: filled, features };
  return validateObject(kind, request as Parameters<typeof kind.validate>[0]).errors.map(formatFieldError);
}

describe("a MachinePool", () => {
  test("gets label, replicas, leading v and timeouts", () => {
    const filled = withDefaults(MachinePool, pool({ template: { spec: template({ version: "1.31.2" }) } }));
    expect(filled.metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "c1" });
    expect(filled.spec.replicas).toBe(1);
    expect(filled.spec.template.spec).toMatchObject({
      version: "v1.31.2",
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    });
  });

  test.each([
    ["the smallest size when it is new", undefined, 3],
    ["the smallest size when it has less", 1, 3],
    ["the largest size when it has more", 30, 9],
    ["its current size when that is in range", 5, 5],
  ])("that an autoscaler sizes starts from %s", (_, current, expected) => {
    const annotations = { [MIN_SIZE]: "3", [MAX_SIZE]: "9" };
    const old = current === undefined ? undefined : pool({ replicas: current });
    expect(withDefaults(MachinePool, pool({}, { annotations }), old).spec.replicas).toBe(expected);
  });

  test("that sets every field is not changed", () => {
    const full = pool({
      replicas: 0,
      template: {
        spec: template({
          version: "v1.31.2",
          minReadySeconds: 30,
          deletion: { nodeDeletionTimeoutSeconds: 0 },
        }),
      },
    });
    expect(withDefaults(MachinePool, full).spec).toMatchObject({
      replicas: 0,
      template: { spec: { minReadySeconds: 30, deletion: { nodeDeletionTimeoutSeconds: 0 } } },
    });
    expect(errorsOf(MachinePool, full)).toEqual([]);
  });

  test.each([
    ["no bootstrap", { bootstrap: {} }, "spec.template.spec.bootstrap: Required value: set either"],
    [
      "another cluster",
      { clusterName: "c2" },
      'spec.template.spec.clusterName: Invalid value: "c2": must be the same as spec.clusterName, "c1"',
    ],
    [
      "a bad version",
      { version: "v1.31" },
      'spec.template.spec.version: Invalid value: "v1.31": must be a valid semantic version',
    ],
    [
      "a negative timeout",
      { deletion: { nodeDrainTimeoutSeconds: -1 } },
      "spec.template.spec.deletion.nodeDrainTimeoutSeconds: Invalid value: -1: must be 0 or more",
    ],
    [
      "a timeout that is not a number",
      { deletion: { nodeDrainTimeoutSeconds: "1d" as never } },
      'spec.template.spec.deletion.nodeDrainTimeoutSeconds: Invalid value: "1d"',
    ],
    [
      "taints",
      { taints: [{ key: "a", effect: "NoSchedule", propagation: "Always" }] },
      "spec.template.spec.taints: Forbidden: a pool cannot pass taints on",
    ],
  ] as [string, Partial<MachineTemplateSpec>, string][])("may not have %s", (_, spec, message) => {
    expect(errorsOf(MachinePool, pool({ template: { spec: template(spec) } }))).toEqual([
      expect.stringContaining(message),
    ]);
  });

  test("may not have labels or annotations that Kubernetes refuses", () => {
    const metadata = { labels: { "-a": "b", c: "d e" }, annotations: { "a/b/c": "" } };
    expect(errorsOf(MachinePool, pool({ template: { metadata, spec: template() } }))).toEqual([
      expect.stringContaining('spec.template.metadata.labels: Invalid value: "-a"'),
      expect.stringContaining('spec.template.metadata.labels[c]: Invalid value: "d e"'),
      expect.stringContaining('spec.template.metadata.annotations: Invalid value: "a/b/c"'),
    ]);
  });

  test("may not move to another cluster", () => {
    const moved = pool({ clusterName: "c2", template: { spec: template({ clusterName: "c2" }) } });
    expect(errorsOf(MachinePool, moved, pool())).toEqual([
      'spec.clusterName: Forbidden: field is immutable; it was "c1"',
    ]);
  });

  test("keeps its zones once its scale set exists", () => {
    const infrastructureRef = { apiGroup: INFRASTRUCTURE, kind: "AzureMachinePool", name: "infra" };
    const zoned = (failureDomains: string[], isBuilt = true): MachinePool => ({
      ...pool({ failureDomains, template: { spec: template({ infrastructureRef }) } }),
      status: { initialization: { infrastructureProvisioned: isBuilt } },
    });
    expect(errorsOf(MachinePool, zoned(["2", "1"]), zoned(["1", "2"]))).toEqual([]);
    expect(errorsOf(MachinePool, zoned(["3"], false), zoned(["1"], false))).toEqual([]);
    expect(errorsOf(MachinePool, zoned(["3"]), zoned(["1"]))).toEqual([
      'spec.failureDomains: Forbidden: the zones of a scale set cannot change; they were ["1"]: create another pool with the new zones, then delete this one',
    ]);
  });

  test("may not have autoscaler sizes that are not numbers", () => {
    expect(errorsOf(MachinePool, pool({}, { annotations: { [MIN_SIZE]: "few", [MAX_SIZE]: "9" } }))).toEqual([
      `metadata.annotations[${MIN_SIZE}]: Invalid value: "few": must be a whole number, such as "3"`,
    ]);
  });
});

describe("a MachineDeployment", () => {
  test("gets a selector by its name and cluster, with the labels of its template", () => {
    const { spec } = withDefaults(MachineDeployment, deployment());
    const labels = { "cluster.x-k8s.io/deployment-name": "workers", "cluster.x-k8s.io/cluster-name": "c1" };
    expect(spec.selector).toEqual({ matchLabels: labels });
    expect(spec.template.metadata).toEqual({ labels });
    expect(spec.replicas).toBe(1);
    expect(errorsOf(MachineDeployment, deployment())).toEqual([]);
  });

  test("keeps a selector of its own and adds the cluster", () => {
    const { spec } = withDefaults(
      MachineDeployment,
      deployment({
        selector: { matchLabels: { pool: "a" } },
        template: { metadata: { labels: { pool: "a" } }, spec: template() },
      }),
    );
    expect(spec.selector.matchLabels).toEqual({ pool: "a", "cluster.x-k8s.io/cluster-name": "c1" });
  });

  test.each([
    [undefined, { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }],
    [
      { rollingUpdate: { maxUnavailable: "10%" } },
      { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: "10%" } },
    ],
    [{ type: "OnDelete" }, { type: "OnDelete" }],
    [{ type: "InPlace" }, { type: "InPlace", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }],
    [
      { type: "InPlace", rollingUpdate: { maxSurge: 1 } },
      { type: "InPlace", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    ],
    [
      { type: "ExternalUpdate", fallbackRollingUpdate: { maxUnavailable: 1 } },
      {
        type: "ExternalUpdate",
        rollingUpdate: { maxSurge: 0, maxUnavailable: 1 },
        fallbackRollingUpdate: { maxSurge: 1, maxUnavailable: 1 },
      },
    ],
  ] as [Strategy | undefined, object][])("with the strategy %j gets %j", (strategy, expected) => {
    const spec = strategy ? { rollout: { strategy } } : {};
    expect(withDefaults(MachineDeployment, deployment(spec)).spec.rollout?.strategy).toEqual(expected);
    expect(errorsOf(MachineDeployment, deployment(spec))).toEqual([]);
  });

  test.each<["InPlace" | "ExternalUpdate" | "RollingUpdate", string[]]>([
    [
      "InPlace",
      [expect.stringMatching(/^spec\.rollout\.after: has no effect .*; leave it out, or replace /)],
    ],
    ["ExternalUpdate", [expect.stringContaining("spec.rollout.after")]],
    ["RollingUpdate", []],
  ])(
    "with the strategy %s is warned that rollout.after has no effect, where that is so",
    (type, warnings) => {
      const strategy = { type };
      const object = deployment({ rollout: { strategy, after: "2026-01-01T00:00:00Z" } });
      expect(MachineDeployment.warn({ object, features: ALL_FEATURES })).toEqual(warnings);
      expect(
        MachineDeployment.warn({ object: deployment({ rollout: { strategy } }), features: ALL_FEATURES }),
      ).toEqual([]);
    },
  );

  test.each([
    [
      { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      "spec.rollout.strategy.rollingUpdate: Invalid value: ",
    ],
    [
      { rollingUpdate: { maxSurge: "two" } },
      'spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: "two": must be either an int or a percentage',
    ],
    [
      { rollingUpdate: { maxSurge: "3" } },
      'spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: "3": must be either an int or a percentage',
    ],
    [
      { rollingUpdate: { maxUnavailable: -1 } },
      "spec.rollout.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be 0 or more",
    ],
    [
      { fallbackRollingUpdate: {} },
      "spec.rollout.strategy.fallbackRollingUpdate: Forbidden: fallbackRollingUpdate may only be set when",
    ],
    [
      { type: "InPlace", fallbackRollingUpdate: { maxSurge: 0, maxUnavailable: 0 } },
      "spec.rollout.strategy.fallbackRollingUpdate: Invalid value",
    ],
  ] as [Strategy, string][])("may not have the strategy %j", (strategy, message) => {
    expect(errorsOf(MachineDeployment, deployment({ rollout: { strategy } }))).toEqual([
      expect.stringContaining(message),
    ]);
  });

  test.each(["InPlace", "ExternalUpdate"] as const)("may choose %s only while its feature is on", (type) => {
    const object = withDefaults(MachineDeployment, deployment({ rollout: { strategy: { type } } }));
    const errorsWith = (request: object): string[] =>
      validateObject(MachineDeployment, { object, ...request }).errors.map(formatFieldError);
    expect(errorsWith({})).toEqual([expect.stringContaining("needs the feature gate InPlaceUpdates")]);
    expect(errorsWith({ features: ALL_FEATURES })).toEqual([]);
    expect(errorsWith({ old: object }), "an object that has it keeps it").toEqual([]);
  });

  test("may not have a limit of replacements that is not a number", () => {
    expect(errorsOf(MachineDeployment, deployment({ remediation: { maxInFlight: "x" } }))).toEqual([
      expect.stringContaining("spec.remediation.maxInFlight: Invalid value"),
    ]);
  });

  test("may not have a selector that does not match its machines", () => {
    expect(errorsOf(MachineDeployment, deployment({ selector: { matchLabels: { pool: "a" } } }))).toEqual([
      expect.stringContaining('must match spec.selector "cluster.x-k8s.io/cluster-name=c1,pool=a"'),
    ]);
  });

  test("may not have a name that is not a valid label value", () => {
    expect(errorsOf(MachineDeployment, deployment({}, "w".repeat(64)))).toContainEqual(
      expect.stringContaining("must be a valid label value: must be no more than 63 bytes"),
    );
  });

  test.each([
    ["machine-{{ .random }}", []],
    ["{{ .cluster.name }}-{{ .machineSet.name }}-{{ .random }}", []],
    ["machine", ["must contain {{ .random }}"]],
    ["{{ .random }}_{{ .oops }}", ["may only use {{ .random }}"]],
    ["UPPER-{{ .random }}", ["would not make valid names"]],
  ])("may name machines by %j only if that gives valid names", (naming, messages) => {
    const errors = errorsOf(MachineDeployment, deployment({ machineNaming: { template: naming } }));
    expect(errors).toEqual(messages.map((message) => expect.stringContaining(message) as string));
  });
});

describe("a MachineSet", () => {
  test("gets a selector by its name, as a hash when that is long", () => {
    expect(withDefaults(MachineSet, set()).spec).toMatchObject({
      replicas: 1,
      deletion: { order: "Random" },
      selector: { matchLabels: { "cluster.x-k8s.io/set-name": "workers" } },
    });
    const long = withDefaults(MachineSet, set({}, { name: "w".repeat(70) }));
    expect(long.spec.selector.matchLabels?.["cluster.x-k8s.io/set-name"]).toMatch(/^hash_/);
    expect(validateObject(MachineSet, { object: long }).errors).toEqual([]);
  });

  test("may skip only checks that exist", () => {
    const name = "machineset.cluster.x-k8s.io/skip-preflight-checks";
    expect(errorsOf(MachineSet, set({}, { annotations: { [name]: "All, KubeadmVersionSkew" } }))).toEqual([]);
    expect(errorsOf(MachineSet, set({}, { annotations: { [name]: "All,Everything" } }))).toEqual([
      expect.stringContaining("must be a comma separated list of All, ControlPlaneIsStable"),
    ]);
  });
});

describe("a Machine", () => {
  test("keeps the updaters of its plan in order", () => {
    const updaters = ["vsphere-vm-memory-update", "kcp-version-upgrade"];
    expect(withDefaults(Machine, machine({ updaters })).spec.updaters).toEqual(updaters);
    expect(errorsOf(Machine, machine({ updaters }))).toEqual([]);
  });

  test("needs bootstrap data unless it belongs to a pool", () => {
    const bare = { bootstrap: {} };
    expect(errorsOf(Machine, machine(bare))).toEqual([
      expect.stringContaining("spec.bootstrap: Required value"),
    ]);
    expect(errorsOf(Machine, machine(bare, { "cluster.x-k8s.io/pool-name": "p" }))).toEqual([]);
    expect(errorsOf(Machine, machine({ bootstrap: { dataSecretName: "" } }))).toEqual([]);
  });

  test.each([
    ["node.cluster.x-k8s.io/uninitialized", "taint key is not allowed"],
    ["node.kubernetes.io/not-ready", "must not have the prefix node.kubernetes.io/"],
    [
      "node.cloudprovider.kubernetes.io/shutdown",
      "must not have the prefix node.cloudprovider.kubernetes.io/",
    ],
    ["node-role.kubernetes.io/master", "taint is deprecated"],
    ["node-role.kubernetes.io/control-plane", "taint is not allowed for worker machines"],
    ["a/b/c", "a qualified name must consist of"],
  ])("may not carry the taint %s", (key, message) => {
    const taints = [{ key, effect: "NoSchedule" as const, propagation: "Always" as const }];
    expect(errorsOf(Machine, machine({ taints }))).toEqual([expect.stringContaining(message)]);
  });

  test("of the control plane may carry its taint", () => {
    const taints = [
      {
        key: "node-role.kubernetes.io/control-plane",
        effect: "NoSchedule" as const,
        propagation: "Always" as const,
      },
    ];
    expect(errorsOf(Machine, machine({ taints }, { "cluster.x-k8s.io/control-plane": "" }))).toEqual([]);
  });
});
