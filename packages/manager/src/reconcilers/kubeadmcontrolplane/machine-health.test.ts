import { machine, node, pod } from "@capstan/runtime/testing/builders";
import type { EtcdView } from "@capstan/plan";
import { describe, expect, test } from "vitest";
import { partHealthOf } from "./machine-health.ts";

const ready = [{ type: "Ready", status: "True" as const, reason: "KubeletReady" }];
const pods = ["kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"].map((name) =>
  pod({ metadata: { name: `${name}-n1` }, status: { phase: "Running", conditions: ready } }),
);
const member = { id: "1", name: "n1", isLearner: false, hasAlarm: false };

/** The parts of machine m1 on Node n1 that are not healthy. */
function problems(etcd: EtcdView): readonly string[] {
  const observed = {
    nodes: new Map([["m1", node({ metadata: { name: "n1" }, status: { conditions: ready } })]]),
    pods: new Map(pods.map((one) => [one.metadata.name, one])),
    etcd,
  };
  return partHealthOf(machine({ metadata: { name: "m1" } }), observed)
    .filter(({ health }) => health !== "healthy")
    .map(({ part, health, why }) => `${part} ${health}: ${why}`);
}

describe("the member of etcd of a machine", () => {
  test.each<[string, EtcdView, readonly string[]]>([
    ["that is a voter without an alarm is healthy", { state: "known", leader: "1", members: [member] }, []],
    [
      "that is a learner is not",
      { state: "known", leader: "2", members: [{ ...member, isLearner: true }] },
      ["EtcdMemberHealthy unhealthy: etcd member n1 is a learner"],
    ],
    [
      "with an alarm is not",
      { state: "known", leader: "1", members: [{ ...member, hasAlarm: true }] },
      ["EtcdMemberHealthy unhealthy: etcd member n1 has an alarm"],
    ],
    [
      "that etcd does not list is not",
      { state: "known", leader: "2", members: [{ ...member, name: "n2" }] },
      ["EtcdMemberHealthy unhealthy: etcd has no member n1"],
    ],
    [
      "is unknown while etcd does not answer",
      { state: "unknown", why: "no answer" },
      ["EtcdMemberHealthy unknown: no answer"],
    ],
    ["does not count if etcd is external", { state: "external" }, []],
  ])("%s", (_, etcd, expected) => {
    expect(problems(etcd)).toEqual(expected);
  });
});
