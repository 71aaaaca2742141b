import { stripVTControlCharacters } from "node:util";
import {
  type Condition,
  controllerReferenceTo,
  PAUSED_ANNOTATION,
  type StandardCondition,
} from "@capstan/api";
import {
  azureCluster,
  azureMachinePool,
  azureMachinePoolMachine,
  cluster,
  kubeadmConfig,
  machine as clusterMachine,
  machineDeployment,
  machinePool,
  machineSet,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { type ClusterParts, clusterTree, type TreeOptions } from "./cluster-tree.ts";
import { paintFor } from "../render/paint.ts";
import { testShell } from "../shell.fixture.ts";
import { printTree } from "./print-tree.ts";
import { treeAnswer } from "./tree-answer.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const condition = (type: string, status: Condition["status"], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: "Reconciled",
  lastTransitionTime: "2026-01-01T11:55:00Z",
  ...more,
});
const ready = (status: Condition["status"] = "True", more: Partial<Condition> = {}) => ({
  status: { conditions: [condition("Ready", status, more)] },
});
/** The same of a kind whose conditions have the form of v1beta2. */
const standard = (
  type: "Ready" | "Available" | "Reconciled",
  status: Condition["status"] = "True",
  more: Partial<StandardCondition> = {},
) => ({ status: { conditions: [{ ...condition(type, status), reason: type, message: "", ...more }] } });
const machine = (name: string, status: Condition["status"], more?: Partial<Condition>) =>
  azureMachinePoolMachine({ metadata: { name } }, ready(status, more));

const parts: ClusterParts = {
  cluster: cluster(standard("Available")),
  infrastructure: azureCluster({
    status: { conditions: [condition("Ready", "True"), condition("VNetReady", "True")] },
  }),
  controlPlaneMachines: [],
  controlPlane: undefined,
  pools: [
    {
      pool: machinePool(
        { status: { replicas: 3, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 3 } },
        standard("Available", "False", {
          reason: "NotAvailable",
          message: "2 of 3 machines are available\n* MachineSet a:\n  * quota",
        }),
      ),
      bootstrap: kubeadmConfig(standard("Ready")),
      infrastructure: azureMachinePool(ready()),
      machines: [
        machine("pool-0", "True"),
        machine("pool-1", "True"),
        machine("pool-2", "False", { severity: "Info", reason: "Provisioning", message: "x".repeat(200) }),
      ],
    },
  ],
  deployments: [],
};
const shown = (options: Partial<TreeOptions> = {}): string =>
  printTree(clusterTree(parts, { isGrouped: true, nowMs: NOW, ...options }), { nowMs: NOW });

describe("the description of a cluster", () => {
  test("is a tree with columns, with machines in the same state on one line", () => {
    const long = `${"x".repeat(100)} ...`;
    expect(
      shown()
        .split("\n")
        .map((line) => line.replaceAll(/ {2,}/g, "  ")),
    ).toEqual([
      "NAME  REPLICAS  AVAILABLE  READY  UP TO DATE  STATUS  REASON  SINCE  MESSAGE",
      "Cluster/cluster  Available: True  5m",
      "├─ClusterInfrastructure - AzureCluster/cluster  Ready: True  5m",
      "└─Workers",
      "  └─MachinePool/pool  3  2  2  3  Available: False  NotAvailable  5m  2 of 3 machines are available; MachineSet a: quota",
      "  ├─BootstrapConfig - KubeadmConfig/pool  Ready: True  5m",
      "  ├─MachinePoolInfrastructure - AzureMachinePool/pool  Ready: True  5m",
      `  ├─AzureMachinePoolMachine/pool-2  Ready: False  Provisioning  5m  ${long}`,
      "  └─2 Machines... See pool-0, pool-1  Ready: True  5m",
      "",
    ]);
  });

  test("sorts machines by their numbers, those that are not ready first", () => {
    const [pool] = parts.pools;
    const machines = ["pool-10", "pool-9", "pool-11", "pool-2"].map((name) =>
      machine(name, name === "pool-9" ? "False" : "True", { reason: "DrainBlocked" }),
    );
    const names = (isGrouped: boolean): readonly string[] => {
      const tree = clusterTree(
        { ...parts, pools: pool ? [{ ...pool, machines }] : [] },
        { isGrouped, nowMs: NOW },
      );
      return [...printTree(tree, { nowMs: NOW }).matchAll(/pool-\d+/g)].map(([name]) => name);
    };
    expect(names(true)).toEqual(["pool-9", "pool-2", "pool-10", "pool-11"]);
    expect(names(false)).toEqual(["pool-9", "pool-2", "pool-10", "pool-11"]);
  });

  test("shows each machine on request", () => {
    expect(shown({ isGrouped: false })).toContain("├─AzureMachinePoolMachine/pool-0");
  });

  test.each([
    ["all", true],
    ["AzureCluster", true],
    ["AzureCluster/cluster", true],
    ["azurecluster", true],
    ["AzureCluster/clus", false],
    ["Cluster", false],
  ])("shows the conditions of %s one by one", (conditionsOf, isShown) => {
    expect(shown({ conditionsOf }).includes("VNetReady")).toBe(isShown);
  });

  test("says first why the last pass over an object failed", () => {
    const failed = standard("Reconciled", "False", { reason: "InvalidSpec", message: "spec.paused: 3" });
    const { conditions } = standard("Available").status;
    const failing = cluster({ status: { conditions: [...conditions, ...failed.status.conditions] } });
    const tree = clusterTree({ ...parts, cluster: failing }, { isGrouped: true, nowMs: NOW });
    const [, line = ""] = printTree(tree, { nowMs: NOW }).split("\n");
    expect(line.replaceAll(/ {2,}/g, "  ")).toBe(
      "Cluster/cluster  Reconciled: False  InvalidSpec  5m  spec.paused: 3",
    );
  });

  test.each([
    ["deleted", { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } }, "!! DELETED !! Cluster/cluster"],
    ["paused", { spec: { paused: true } }, "!! PAUSED !! Cluster/cluster"],
    [
      "paused by an annotation",
      { metadata: { annotations: { [PAUSED_ANNOTATION]: "" } } },
      "!! PAUSED !! Cluster/cluster",
    ],
  ])("marks what is %s", (_, change, line) => {
    const marked = clusterTree({ ...parts, cluster: cluster(change) }, { isGrouped: true, nowMs: NOW });
    expect(printTree(marked, { nowMs: NOW }).split("\n")[1]).toBe(line);
  });
});

test("a MachineDeployment is among the workers, with its machines in groups", () => {
  const deployment = machineDeployment(
    { status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, upToDateReplicas: 1 } },
    standard("Available"),
  );
  const machines = ["a", "b"].map((name) => clusterMachine({ metadata: { name } }, standard("Ready")));
  const tree = clusterTree(
    { ...parts, pools: [], deployments: [{ deployment, sets: [], machines }] },
    { isGrouped: true, nowMs: NOW },
  );
  const lines = printTree(tree, { nowMs: NOW })
    .split("\n")
    .map((line) => line.replaceAll(/ {2,}/g, "  "));
  expect(lines).toContain("  └─MachineDeployment/machines  2  2  2  1  Available: True  5m");
  expect(lines).toContainEqual(expect.stringContaining("2 Machines... See a, b"));
});

const held = condition("RolloutComplete", "False", {
  severity: "Warning",
  reason: "PreflightCheckFailed",
  message: "MachineSet new: the control plane is being upgraded",
});
const heldDeployment = machineDeployment(
  {
    metadata: { uid: "owner" },
    status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 0 },
  },
  { status: { ...standard("Available").status, deprecated: { v1beta1: { conditions: [held] } } } },
);

test("a MachineDeployment whose rollout is held up says why, although enough machines are available", () => {
  const deployments = [{ deployment: heldDeployment, sets: [], machines: [] }];
  const printed = printTree(
    clusterTree({ ...parts, pools: [], deployments }, { isGrouped: true, nowMs: NOW }),
    {
      nowMs: NOW,
      columns: 100,
    },
  );
  expect(printed).toContain("PreflightCheckFailed: MachineSet new: the control plane is being upgraded");
});

test("the MachineSets of a MachineDeployment are shown between it and its machines when a user asks for them", () => {
  const set = (name: string, replicas: number, conditions: Condition[]) =>
    machineSet({
      metadata: { name, uid: name },
      spec: { replicas },
      status: { replicas, readyReplicas: replicas, deprecated: { v1beta1: { conditions } } },
    });
  const old = set("old", 1, [condition("Ready", "True")]);
  const unused = set("unused", 0, []);
  const fresh = set("fresh", 1, [{ ...held, type: "Ready" }]);
  const machines = [
    clusterMachine(
      { metadata: { name: "a", ownerReferences: [controllerReferenceTo(old)] } },
      standard("Ready"),
    ),
  ];
  const deployments = [{ deployment: heldDeployment, sets: [old, unused, fresh], machines }];
  const tree = clusterTree(
    { ...parts, pools: [], deployments },
    { isGrouped: true, nowMs: NOW, hasMachineSets: true },
  );
  const names = printTree(tree, { nowMs: NOW })
    .split("\n")
    .map((line) => line.replace(/^[ │]*/, "").replace(/ .*$/, ""));
  expect(names.slice(-5)).toEqual([
    "└─MachineDeployment/machines",
    "├─MachineSet/fresh",
    "└─MachineSet/old",
    "└─Machine/a",
    "",
  ]);
});

test("a window of 80 columns shows the cause of a part below it, and no line is cut or wider", () => {
  const message =
    "subnet spokes/edge-subnet-of-the-east has no free address left; make it larger, or move the pool";
  const [pool] = parts.pools;
  const machines = Array.from({ length: 9 }, (_, id) => machine(`a-pool-with-a-long-name-${id}`, "True"));
  const failing = machine("a-pool-with-a-long-name-9", "False", { reason: "SubnetIsFull", message });
  const tree = clusterTree(
    { ...parts, pools: pool ? [{ ...pool, machines: [...machines, failing] }] : [] },
    { isGrouped: true, nowMs: NOW },
  );
  const lines = printTree(tree, { nowMs: NOW, columns: 80 }).split("\n");
  expect(lines).toEqual([
    "NAME                                                      READY   STATUS   SINCE",
    "Cluster/cluster                                                   True     5m",
    "├─AzureCluster/cluster                                            True     5m",
    "└─Workers",
    "  └─MachinePool/pool                                      2/3     False    5m",
    "    │   NotAvailable: 2 of 3 machines are available; MachineSet a: quota",
    "    ├─KubeadmConfig/pool                                          True     5m",
    "    ├─AzureMachinePool/pool                                       True     5m",
    "    ├─AzureMachinePoolMachine/a-pool-with-a-long-name-9           False    5m",
    "    │     SubnetIsFull: subnet spokes/edge-subnet-of-the-east has no free",
    "    │     address left; make it larger, or move the pool",
    "    └─9 Machines: a-pool-with-a-long-name-0, ...                  True     5m",
    "",
  ]);
});

describe("red is for what a user must repair", () => {
  const paint = paintFor(testShell({ isTerminal: true }).out, {});
  const redLines = (some: Partial<ClusterParts>, options: Partial<TreeOptions> = {}): readonly string[] => {
    const tree = clusterTree({ ...parts, ...some }, { isGrouped: true, nowMs: NOW, ...options });
    return printTree(tree, { nowMs: NOW, columns: 80, paint })
      .split("\n")
      .filter((line) => line.includes("\u001B[31m"))
      .map((line) => stripVTControlCharacters(line).replace(/^[ │├└─]*/, ""))
      .map((line) => line.replace(/ {2,}.*$/, ""));
  };
  const creating = cluster(standard("Available", "False", { reason: "NotAvailable", message: "is coming" }));

  test("a cluster that is being created has none", () => {
    expect(redLines({ cluster: creating })).toEqual([]);
  });

  test("a machine in trouble is red, with all that it is a part of", () => {
    const [pool] = parts.pools;
    const failing = machine("pool-9", "False", { severity: "Error", reason: "SkuNotAvailable" });
    const pools = pool ? [{ ...pool, machines: [...pool.machines, failing] }] : [];
    expect(redLines({ cluster: creating, pools })).toEqual([
      "Cluster/cluster",
      "NotAvailable: is coming",
      "MachinePool/pool",
      "NotAvailable: 2 of 3 machines are available; MachineSet a: quota",
      "AzureMachinePoolMachine/pool-9",
      "SkuNotAvailable",
    ]);
  });

  test("a condition that is False in the normal case is not red, even beside one that is", () => {
    const failed = standard("Reconciled", "False", { reason: "InvalidSpec" }).status.conditions;
    const idle = condition("Deleting", "False");
    const bad = cluster({
      status: { conditions: [...failed, { ...idle, reason: "NotDeleting", message: "" }] },
    });
    expect(redLines({ cluster: bad }, { conditionsOf: "Cluster" })).toEqual([
      "Cluster/cluster",
      "InvalidSpec",
    ]);
  });
});

test("programs get objects with their kinds and numbers, without the words that people read", () => {
  const paused = cluster(standard("Available"), { spec: { paused: true } });
  const tree = clusterTree(
    { ...parts, cluster: paused },
    { isGrouped: false, nowMs: NOW, conditionsOf: "AzureCluster" },
  );
  const answer = treeAnswer(tree);
  expect(answer).toMatchObject({
    kind: "Cluster",
    namespace: "default",
    name: "cluster",
    warnings: ["PAUSED"],
    condition: { type: "Available", status: "True" },
    parts: [
      { role: "ClusterInfrastructure", kind: "AzureCluster", conditions: [{ type: "VNetReady" }] },
      {
        role: "Workers",
        parts: [
          {
            kind: "MachinePool",
            name: "pool",
            machines: { current: 3, available: 2, ready: 2, upToDate: 3 },
            parts: [
              { role: "BootstrapConfig", kind: "KubeadmConfig" },
              { role: "MachinePoolInfrastructure", kind: "AzureMachinePool" },
              { kind: "AzureMachinePoolMachine", name: "pool-2" },
              { name: "pool-0" },
              { name: "pool-1" },
            ],
          },
        ],
      },
    ],
  });
  expect(JSON.stringify(answer)).not.toMatch(/!!|See |KubeadmConfig\/| - /);
});

test("a name that is too long for a narrow window has a line of its own", () => {
  const long = "n".repeat(70);
  const tree = { name: `Cluster/${long}`, condition: condition("Ready", "True"), parts: [] };
  expect(printTree(tree, { nowMs: NOW, columns: 80 })).toContain(`Cluster/${long}\n`);
});
