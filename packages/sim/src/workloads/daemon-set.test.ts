import { describe, expect, test } from "vitest";
import { daemonSet, node, NOW_MS, pod, type PodFacts } from "./builders.fixture.ts";
import { daemonSetStatus, decideDaemons } from "./daemon-set.ts";
import { templateHash } from "./template-hash.ts";
import type { DaemonSet, WorkloadPod } from "./workload-kinds.ts";

const labels = { "controller-revision-hash": templateHash(daemonSet().spec.template) };
const on = (name: string, facts: PodFacts = {}): WorkloadPod =>
  pod(`log-${name}`, { node: name, labels, ...facts });

const nodes = [node("a"), node("b")];
const picky = daemonSet();
picky.spec.template = { ...picky.spec.template, spec: { containers: [], nodeSelector: { disk: "ssd" } } };

const reported = (set: DaemonSet, pods: readonly WorkloadPod[], there = nodes): string[] =>
  decideDaemons({ set, nodes: there, pods, nowMs: NOW_MS }).map((action) =>
    action.type === "delete" ? `-${action.pod.metadata.name}` : `+${action.nodeName}`,
  );

describe("a DaemonSet", () => {
  test.each([
    ["goes to each node", [], nodes, ["+a", "+b"]],
    [
      "goes to a node that is cordoned or not Ready",
      [],
      [node("a", { unschedulable: true }), node("b", { ready: false })],
      ["+a", "+b"],
    ],
    ["keeps away from a taint", [], [node("a", { taints: [{ key: "gpu", effect: "NoSchedule" }] })], []],
    [
      "leaves a node that has become tainted",
      [on("a")],
      [node("a", { taints: [{ key: "gpu", effect: "NoSchedule" }] })],
      ["-log-a"],
    ],
    ["waits for the pod before to be gone", [on("a", { deleting: true }), on("b")], nodes, []],
    ["keeps one of two", [on("a"), on("b"), on("b", { metadata: { name: "log-two" } })], nodes, ["-log-two"]],
    ["leaves pods of vanished nodes to the timeout", [on("a"), on("b"), on("gone")], nodes, []],
    ["replaces one old pod at a time", [on("a", { labels: {} }), on("b", { labels: {} })], nodes, ["-log-a"]],
    [
      "replaces no old pod while another is not ready",
      [on("a", { labels: {} }), on("b", { ready: false })],
      nodes,
      [],
    ],
    [
      "replaces broken old pods at once",
      [on("a", { labels: {}, ready: false }), on("b", { labels: {}, ready: false })],
      nodes,
      ["-log-a", "-log-b"],
    ],
  ])("%s", (_, pods, there, actions) => {
    expect(reported(daemonSet(), pods, there)).toEqual(actions);
  });

  test("runs only on nodes that match its node selector", () => {
    expect(reported(picky, [], [node("a"), node("b", { labels: { disk: "ssd" } })])).toEqual(["+b"]);
  });

  test("reports how many nodes run it", () => {
    const pods = [on("a"), on("gone", { labels: {} })];
    expect(daemonSetStatus({ set: daemonSet(), nodes, pods, nowMs: NOW_MS })).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 1,
      numberMisscheduled: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
      numberUnavailable: 1,
    });
  });
});
