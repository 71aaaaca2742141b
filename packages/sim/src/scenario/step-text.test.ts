import { expect, test } from "vitest";
import { readScenario } from "./read-scenario.ts";

const BEFORE = ["createScaleSet: { name: pool, instances: 1 }"];

/** The text of a scenario's last step. */
function words(line: string): string | undefined {
  const text = `steps:\n${[...BEFORE, line].map((one) => `  - ${one}\n`).join("")}`;
  const reading = readScenario("main.yaml", () => text);
  return "scenario" in reading ? reading.scenario.steps.at(-1)?.text : undefined;
}

test.each([
  [
    "apply: { objects: [{ apiVersion: v1, kind: Pod, metadata: { name: a } }, { apiVersion: v1, kind: Node, metadata: { name: b } }], cluster: workload }",
    "apply Pod a and Node b to workload",
  ],
  ["patch: { kind: Cluster, name: a, merge: {} }", "patch Cluster default/a in management"],
  ["delete: { kind: Node, name: a, cluster: workload }", "delete Node a in workload"],
  ["createScaleSet: { name: b, instances: 1 }", "create scale set b with 1 machine for workload"],
  ["resize: { scaleSet: pool, to: 2 }", "resize pool to 2 machines"],
  ["deleteScaleSet: { name: pool }", "delete scale set pool"],
  ["deploy: { name: web, replicas: 2 }", "deploy web with 2 pods in workload"],
  ["machine: { scaleSet: pool, instances: all, do: stop }", "stop all machines of pool"],
  ["drain: { scaleSet: pool, instances: [0] }", "drain machine 0 of pool"],
  ["uncordon: { scaleSet: pool, instances: [0, 1, 2] }", "uncordon machines 0, 1 and 2 of pool"],
  ["wait: 90m", "wait 1h30m"],
  ["until: { nodes: 1, nodesReady: 0 }", "wait until workload has 1 node and 0 nodes of workload Ready"],
  [
    "until: { podsRunning: 2, machines: { pool: 1 }, guestsFailed: { NoJoin: 1 }, within: 2h }",
    "wait until 2 pods of workload running, 1 machine of pool running and 1 guest failed with NoJoin, at most 2h",
  ],
  [
    "until: { conditions: [{ kind: Cluster, name: a, type: Ready, status: False }] }",
    "wait until Cluster a has Ready False",
  ],
  ["fault: arm-throttled:20%", "switch on arm-throttled:20%"],
  ["heal: all", "switch off all faults"],
  ["heal: stall", "switch off stall"],
  ["crash: { manager: 1, for: 1m }", "manager-1 is killed and away for 1m"],
  ["stall: { manager: 1 }", "manager-1 stands still for 10s"],
])("describes %s", (line, expected) => {
  expect(words(line)).toBe(expected);
});
