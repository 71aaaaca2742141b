import { describe, expect, test } from "vitest";
import { node, pod } from "./builders.fixture.ts";
import { choose, Usage } from "./scheduler.ts";

const asking = (requests: Record<string, string>) =>
  pod("p", { spec: { containers: [{ name: "main", resources: { requests } }] } });
const gpu = { key: "gpu", value: "yes", effect: "NoSchedule" };

describe("the scheduler", () => {
  test.each([
    ["no node", pod("p"), [], "no nodes available to schedule pods"],
    ["a cordon", pod("p"), [node("a", { unschedulable: true })], "1 node(s) were unschedulable."],
    ["a taint", pod("p"), [node("a", { taints: [gpu] })], "1 node(s) had untolerated taint {gpu: yes}."],
    [
      "a node that is not Ready",
      pod("p"),
      [node("a", { ready: false })],
      "1 node(s) had untolerated taint {node.kubernetes.io/not-ready: }.",
    ],
    [
      "a label that no node has",
      pod("p", { spec: { nodeSelector: { disk: "ssd" } } }),
      [node("a", { labels: { disk: "hdd" } })],
      "1 node(s) didn't match Pod's node affinity/selector.",
    ],
    ["too little memory", asking({ memory: "5Gi" }), [node("a")], "1 Insufficient memory."],
    [
      "several reasons, sorted and counted",
      asking({ cpu: "2500m", memory: "5Gi" }),
      [node("a"), node("b"), node("c", { unschedulable: true })],
      "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu, 2 Insufficient memory.",
    ],
  ])("places no pod because of %s", (_, desired, nodes, message) => {
    const { node: chosen, why } = choose(desired, nodes, () => ({ cpu: 0, memory: 0, pods: 0 }));
    expect(chosen).toBeUndefined();
    expect(why).toContain(message);
  });

  test.each([
    [
      "a tolerated taint",
      pod("p", { spec: { tolerations: [{ key: "gpu", operator: "Exists" }] } }),
      { taints: [gpu] },
    ],
    [
      "a toleration of everything",
      pod("p", { spec: { tolerations: [{ operator: "Exists" }] } }),
      { taints: [gpu] },
    ],
    ["a taint that only asks", pod("p"), { taints: [{ key: "gpu", effect: "PreferNoSchedule" }] }],
    [
      "a label that matches",
      pod("p", { spec: { nodeSelector: { disk: "ssd" } } }),
      { labels: { disk: "ssd" } },
    ],
    ["a request that fits exactly", asking({ cpu: "2" }), {}],
  ])("places a pod despite %s", (_, desired, facts) => {
    expect(choose(desired, [node("a", facts)], () => ({ cpu: 0, memory: 0, pods: 2 })).node).toBe("a");
  });

  test("spreads pods by count until the nodes are full", () => {
    const usage = new Usage();
    const nodes = [node("b"), node("a")];
    const chosen = Array.from({ length: 7 }, (_, number) => {
      const { node: name, why } = choose(pod("p"), nodes, (one) => usage.on(one));
      if (name !== undefined) usage.place(String(number), name, { cpu: 0, memory: 0, pods: 1 });
      return name ?? why;
    });
    expect(chosen).toEqual(["a", "b", "a", "b", "a", "b", "0/2 nodes are available: 2 Too many pods."]);
  });

  test("counts a pod once, also after repeated events, and not after its deletion", () => {
    const usage = new Usage();
    const amounts = { cpu: 500, memory: 10, pods: 1 };
    usage.place("x", "a", amounts);
    usage.place("x", "a", amounts);
    usage.place("y", "a", amounts);
    expect(usage.on("a")).toEqual({ cpu: 1000, memory: 20, pods: 2 });
    usage.release("x");
    usage.release("x");
    expect(usage.on("a")).toEqual(amounts);
  });
});
