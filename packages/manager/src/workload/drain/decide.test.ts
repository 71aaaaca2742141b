import type { Frozen, MachineDrainRule, Node, Pod } from "@capstan/api";
import { node, type Overrides, pod } from "@capstan/runtime/testing/builders";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type DrainProgress,
  judgeDrain,
  planPods,
  type PodPlan,
  podName,
  type DrainRefusal,
} from "./decide.ts";

const NOW_MS = Date.parse("2026-01-01T01:00:00Z");
const at = (ms: number): string => new Date(NOW_MS + ms).toISOString();

function nodeOf(status: "True" | "False" | "Unknown" = "True"): Node {
  return node({ metadata: { name: "n" }, status: { conditions: [{ type: "Ready", status }] } });
}

function podOf(name: string, ...overrides: Overrides<Pod>[]): Pod {
  return pod({ metadata: { name }, status: { phase: "Running" } }, ...overrides);
}

const ownedBy = (kind: string): Overrides<Pod> => ({
  metadata: { ownerReferences: [{ apiVersion: "apps/v1", kind, name: "o", uid: "u", controller: true }] },
});
const label = (value: string): Overrides<Pod> => ({
  metadata: { labels: { "cluster.x-k8s.io/drain": value } },
});
const stopping = (ms: number): Overrides<Pod> => ({ metadata: { deletionTimestamp: at(ms) } });

/** How a pod is treated on a Node that answers, and on one that does not. */
function treatmentOf(one: Pod, status: "True" | "Unknown"): string {
  const plan = planPods({ node: nodeOf(status), pods: [one], nowMs: NOW_MS });
  return (["evict", "later", "wait", "skip"] as const)
    .filter((treatment) => plan[treatment].length > 0)
    .join();
}

describe("a pod", () => {
  test.each<[string, Overrides<Pod>, string, string]>([
    ["of a ReplicaSet", ownedBy("ReplicaSet"), "evict", "evict"],
    ["without an owner", {}, "evict", "evict"],
    ["with local data", { spec: { volumes: [{ name: "v", emptyDir: {} }] } }, "evict", "evict"],
    ["that has not started", { status: { phase: "Pending" } }, "evict", "evict"],
    ["of a DaemonSet", ownedBy("DaemonSet"), "skip", "skip"],
    [
      "that the kubelet runs from a file",
      { metadata: { annotations: { "kubernetes.io/config.mirror": "" } } },
      "skip",
      "skip",
    ],
    ["that has succeeded", { status: { phase: "Succeeded" } }, "skip", "skip"],
    ["that has failed", { status: { phase: "Failed" } }, "skip", "skip"],
    ["that is to be skipped", label("Skip"), "skip", "skip"],
    ["that is to complete", label("wait-completed"), "wait", "wait"],
    ["that is stopping", stopping(20_000), "wait", "wait"],
    ["that should have stopped just now", stopping(-500), "wait", "wait"],
    ["that should have stopped", stopping(-2_000), "wait", "skip"],
  ])("%s", (_, overrides, reachable, unreachable) => {
    const one = podOf("a", overrides);
    expect([treatmentOf(one, "True"), treatmentOf(one, "Unknown")]).toEqual([reachable, unreachable]);
  });

  test("of a DaemonSet that does not control it is evicted", () => {
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "o", uid: "u" }];
    expect(treatmentOf(podOf("a", { metadata: { ownerReferences } }), "True")).toBe("evict");
  });
});

test("pods are evicted by priority, the lowest first, then by name", () => {
  const pods = [
    podOf("dns", { spec: { priority: 2_000_000_000 } }),
    podOf("b"),
    podOf("a"),
    podOf("batch", { spec: { priority: -10 } }),
  ];
  const { evict } = planPods({ node: nodeOf(), pods, nowMs: NOW_MS });
  expect(evict.map(({ pod: { metadata } }) => metadata.name)).toEqual(["batch", "a", "b", "dns"]);
});

describe("a MachineDrainRule", () => {
  const rule = (name: string, drain: MachineDrainRule["spec"]["drain"], app?: string): MachineDrainRule => ({
    apiVersion: "cluster.x-k8s.io/v1beta1",
    kind: "MachineDrainRule",
    metadata: { name, namespace: "fleet" },
    spec: { drain, ...(app !== undefined && { pods: [{ selector: { matchLabels: { app } } }] }) },
  });
  const app = (name: string, ...overrides: Overrides<Pod>[]): Pod =>
    podOf(name, { metadata: { labels: { app: name } } }, ...overrides);
  const planned = (pods: readonly Pod[], rules: readonly MachineDrainRule[]) => {
    const plan = planPods({ node: nodeOf(), pods, nowMs: NOW_MS, rules });
    const names = (judged: PodPlan["evict"]) => judged.map(({ pod: { metadata } }) => metadata.name);
    return {
      evict: names(plan.evict),
      later: names(plan.later),
      wait: names(plan.wait),
      skip: names(plan.skip),
    };
  };

  test("evicts pods in its order: those of the next order when the ones before are gone", () => {
    const rules = [rule("db-last", { behavior: "Drain", order: 5 }, "db")];
    expect(planned([app("db"), app("web")], rules)).toMatchObject({ evict: ["web"], later: ["db"] });
    expect(planned([app("db"), app("web", stopping(5_000))], rules)).toMatchObject({
      evict: [],
      later: ["db"],
      wait: ["web"],
    });
    expect(planned([app("db")], rules)).toMatchObject({ evict: ["db"], later: [] });
  });

  test("lets pods stay or complete", () => {
    const rules = [rule("a", { behavior: "Skip" }, "agent"), rule("b", { behavior: "WaitCompleted" }, "job")];
    expect(planned([app("agent"), app("job"), app("web")], rules)).toEqual({
      evict: ["web"],
      later: [],
      wait: ["job"],
      skip: ["agent"],
    });
  });

  test("yields to the first rule that matches, and to the label of the pod", () => {
    const rules = [rule("a", { behavior: "Skip" }, "db"), rule("b", { behavior: "Drain", order: 9 })];
    expect(planned([app("db"), app("web")], rules)).toMatchObject({ evict: ["web"], skip: ["db"] });
    expect(planned([app("db", label("wait-completed"))], rules)).toMatchObject({ wait: ["db"], skip: [] });
  });

  test("holds the drain open for pods that come later", () => {
    const [web, db] = [app("web"), app("db")];
    const rules = [rule("db-last", { behavior: "Drain", order: 5 }, "db")];
    const plan = planPods({ node: nodeOf(), pods: [web, db], nowMs: NOW_MS, rules });
    expect(judgeDrain(nodeOf(), progressOf([], { plan, gone: [web] })).isOver).toBe(false);
  });
});

const anyPod = fc
  .record({
    name: fc.nat(1000).map((number) => `p${number}`),
    phase: fc.constantFrom("Pending", "Running", "Succeeded", "Failed", "Unknown" as const),
    stopsMs: fc.option(fc.integer({ min: -100_000, max: 100_000 })),
    owner: fc.constantFrom("ReplicaSet", "DaemonSet", undefined),
    behavior: fc.constantFrom("skip", "wait-completed", "other", undefined),
    priority: fc.integer(),
  })
  .map(({ name, phase, stopsMs, owner, behavior, priority }) =>
    podOf(
      name,
      { status: { phase }, spec: { priority } },
      stopsMs === null ? {} : stopping(stopsMs),
      owner === undefined ? {} : ownedBy(owner),
      behavior === undefined ? {} : label(behavior),
    ),
  );

test("every pod is treated in one way, in any order of the list", () => {
  const scenes = fc.tuple(
    fc.uniqueArray(anyPod, { selector: podName }),
    fc.constantFrom("True", "False", "Unknown" as const),
  );
  fc.assert(
    fc.property(scenes, ([pods, status]) => {
      const plan = planPods({ node: nodeOf(status), pods, nowMs: NOW_MS });
      const again = planPods({ node: nodeOf(status), pods: pods.toReversed(), nowMs: NOW_MS });
      const all = [...plan.evict, ...plan.later, ...plan.wait, ...plan.skip].map((one) => podName(one.pod));
      expect([...all].sort()).toEqual(pods.map(podName).sort());
      expect(again).toEqual(plan);
      expect(plan.evict.every(({ pod: { metadata } }) => metadata.deletionTimestamp === undefined)).toBe(
        true,
      );
    }),
  );
});

function progressOf(pods: readonly Pod[], parts: Partial<DrainProgress> = {}): DrainProgress {
  const plan = planPods({ node: nodeOf(), pods, nowMs: NOW_MS });
  return { plan, evicted: [], gone: [], refused: [], limit: undefined, nowMs: NOW_MS, ...parts };
}

const refusalOf = (one: Frozen<Pod>, retryAfterMs?: number): DrainRefusal => ({
  pod: one,
  why: "PodDisruptionBudget default/web allows no disruption now",
  ...(retryAfterMs !== undefined && { retryAfterMs }),
});

describe("draining", () => {
  test("is over when only pods are left that may stay", () => {
    const progress = progressOf([podOf("a", ownedBy("DaemonSet"))]);
    expect(judgeDrain(nodeOf(), progress)).toEqual({
      isOver: true,
      reason: "Drained",
      message: "Node n is drained",
    });
  });

  test("is over when the pods were gone before their eviction", () => {
    const a = podOf("a");
    expect(judgeDrain(nodeOf(), progressOf([a], { gone: [a] })).isOver).toBe(true);
  });

  test("is not over while pods stop, and requeues soon after an eviction", () => {
    const a = podOf("a");
    const stops = podOf("b", stopping(10_000));
    expect(judgeDrain(nodeOf(), progressOf([a], { evicted: [a] }))).toEqual({
      isOver: false,
      reason: "Draining",
      message: "Draining Node n",
      requeueAfterMs: 5_000,
    });
    expect(judgeDrain(nodeOf(), progressOf([stops]))).toMatchObject({
      reason: "Draining",
      requeueAfterMs: 10_000,
    });
  });

  test("is not over while evictions are pending", () => {
    expect(judgeDrain(nodeOf(), progressOf([podOf("a")])).isOver).toBe(false);
  });

  test("names the pods that do not stop", () => {
    const verdict = judgeDrain(
      nodeOf(),
      progressOf([podOf("a", stopping(-60_000)), podOf("b", stopping(0))]),
    );
    expect(verdict.message).toBe("Draining Node n; waiting for pod default/a");
  });

  test("names the pod that is not evicted, and its budget", () => {
    const a = podOf("a");
    expect(judgeDrain(nodeOf(), progressOf([a], { refused: [refusalOf(a)] }))).toEqual({
      isOver: false,
      reason: "DrainBlocked",
      message:
        "Draining Node n; pod default/a is not evicted: PodDisruptionBudget default/web allows no disruption now",
      requeueAfterMs: 20_000,
    });
  });

  test("names three pods of many", () => {
    const pods = ["a", "b", "c", "d", "e"].map((name) => podOf(name));
    const { message } = judgeDrain(
      nodeOf(),
      progressOf(pods, { refused: pods.map((one) => refusalOf(one)) }),
    );
    expect(message).toContain("pod default/c is not evicted");
    expect(message).not.toContain("default/d");
    expect(message).toMatch(/; 2 more pods are not evicted$/);
  });

  test("names each cause, also behind a budget that refuses many pods", () => {
    const pods = ["a", "b", "c", "d", "e"].map((name) => podOf(name));
    const refused = pods.map((one) => ({
      ...refusalOf(one),
      ...(one.metadata.name === "e" && { why: "a webhook says no" }),
    }));
    const { message } = judgeDrain(nodeOf(), progressOf(pods, { refused }));
    expect(message).toContain("pod default/e is not evicted: a webhook says no");
    expect(message).toMatch(/; 2 more pods are not evicted$/);
  });

  test("names the pods that come later", () => {
    const [web, db] = [podOf("web"), podOf("db")];
    const evict = [{ pod: web, why: "it can run elsewhere" }];
    const plan = { evict, later: [{ pod: db, why: "it can run elsewhere" }], wait: [], skip: [] };
    const { message } = judgeDrain(nodeOf(), progressOf([web, db], { plan, refused: [refusalOf(web)] }));
    expect(message).toMatch(/allows no disruption now; later pod default\/db$/);
  });

  test("retries when the server allows it", () => {
    const [a, b] = [podOf("a"), podOf("b")];
    const refused = [refusalOf(a, 10_000), refusalOf(b)];
    expect(judgeDrain(nodeOf(), progressOf([a, b], { refused }))).toMatchObject({ requeueAfterMs: 10_000 });
  });

  test("ends at its timeout, and names the pods that are deleted with the machine", () => {
    const pods = [podOf("a"), podOf("b", stopping(0))];
    const limit = { startedMs: NOW_MS - 600_000, timeoutMs: 600_000 };
    expect(judgeDrain(nodeOf(), progressOf(pods, { limit }))).toEqual({
      isOver: true,
      reason: "DrainTimedOut",
      message: "Node n was not drained within 600 s and is deleted with pods default/a, default/b",
    });
  });

  test("requeues at its timeout, if that is sooner", () => {
    const a = podOf("a");
    const limit = { startedMs: NOW_MS - 599_000, timeoutMs: 600_000 };
    expect(judgeDrain(nodeOf(), progressOf([a], { refused: [refusalOf(a)], limit }))).toMatchObject({
      isOver: false,
      requeueAfterMs: 1_000,
    });
  });

  test("ends for all pods exactly if it has a timeout", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyPod, { selector: podName }), fc.nat(1_000_000), (pods, laterMs) => {
        const nowMs = NOW_MS + laterMs;
        const plan = planPods({ node: nodeOf(), pods, nowMs: NOW_MS });
        const isEmpty = plan.evict.length + plan.wait.length === 0;
        const limit = { startedMs: NOW_MS, timeoutMs: 500_000 };
        expect(judgeDrain(nodeOf(), progressOf(pods, { plan, nowMs })).isOver).toBe(isEmpty);
        expect(judgeDrain(nodeOf(), progressOf(pods, { plan, nowMs, limit })).isOver).toBe(
          isEmpty || laterMs >= 500_000,
        );
      }),
    );
  });
});
