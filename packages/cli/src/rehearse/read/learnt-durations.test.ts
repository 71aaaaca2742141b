import { expect, test } from "vitest";
import type { GivenObject } from "../../plan/read/read-objects.ts";
import { learntDurations } from "./learnt-durations.ts";

const START_MS = Date.parse("2026-01-01T00:00:00Z");
const at = (seconds: number): string => new Date(START_MS + seconds * 1000).toISOString();
const since = (type: string, seconds: number) => ({ type, status: "True", lastTransitionTime: at(seconds) });

/** A machine that was created at once, ran after some seconds, and became a Node after some more. */
function machineOf(name: string, createSeconds: number, bootSeconds: number): readonly GivenObject[] {
  const metadata = { name, namespace: "default", creationTimestamp: at(0) };
  const running = createSeconds + 10;
  return [
    {
      apiVersion: "cluster.x-k8s.io/v1beta2",
      kind: "Machine",
      metadata,
      spec: { infrastructureRef: { kind: "AzureMachine", name } },
      status: { conditions: [since("NodeReady", running + bootSeconds)] },
    },
    {
      apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
      kind: "AzureMachine",
      metadata,
      status: { conditions: [since("NetworkInterfacesReady", 5), since("VMRunning", running)] },
    },
  ];
}

function eventOf(kind: string, name: string, reason: string, seconds: number): GivenObject {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${name}.${reason}`, namespace: "default" },
    involvedObject: { kind, namespace: "default", name },
    reason,
    firstTimestamp: at(seconds),
  };
}

const NAMES = ["a", "b", "c", "d", "e"] as const;
const BOOTS = [100, 120, 140, 160, 180];

test("five machines show how long boots and creations take", () => {
  const { model, lines } = learntDurations(
    NAMES.flatMap((name, index) => machineOf(name, 60, BOOTS[index] ?? 0)),
  );
  expect(model.boot).toEqual({ p50: 140, p90: 188 });
  expect(model.latencies).toEqual({ "virtualMachine.create": { p50: 60, p90: 60 } });
  expect(lines[0]).toBe("boots: half within 140 s, nine of ten within 188 s, from 5 machines of this fleet");
  expect(model.source).toContain("learnt from this fleet");
});

test("a slow machine among many moves neither percentile far", () => {
  const usual = NAMES.flatMap((name, index) => machineOf(name, 60, BOOTS[index] ?? 0));
  const { model } = learntDurations([...usual, ...machineOf("slow", 2000, 3000)]);
  expect(model.boot?.p50).toBe(150);
  expect(model.latencies?.["virtualMachine.create"]).toEqual({ p50: 60, p90: 60 });
});

test("machines of a pool show boots by what they took beyond the creation of an instance", () => {
  const pool = NAMES.map((name) => ({
    apiVersion: "infrastructure.cluster.x-k8s.io/v1beta1",
    kind: "AzureMachinePoolMachine",
    metadata: { name, namespace: "default", creationTimestamp: at(0) },
    status: { conditions: [since("BootstrapSucceeded", 206)] },
  }));
  expect(learntDurations(pool).model.boot).toEqual({ p50: 150, p90: 150 });
});

test("events of deleted machines show drains and deletions", () => {
  const events = NAMES.flatMap((name) => [
    eventOf("AzureMachinePoolMachine", name, "Draining", 0),
    eventOf("AzureMachinePoolMachine", name, "Drained", 20),
    eventOf("AzureMachinePoolMachine", name, "NodeDeleted", 50),
    eventOf("Machine", name, "Drained", 0),
    eventOf("Machine", name, "NodeDeleted", 45),
  ]);
  const { model } = learntDurations(events);
  expect(model.pods).toEqual({ stopMs: 20_000 });
  expect(model.latencies).toMatchObject({
    "instance.delete": { p50: 30 },
    "virtualMachine.delete": { p50: 30 },
  });
});

test.each<readonly [string, readonly GivenObject[]]>([
  ["four machines", NAMES.slice(1).flatMap((name) => machineOf(name, 60, 100))],
  ["machines without times", NAMES.map((name) => ({ apiVersion: "x", kind: "Machine", metadata: { name } }))],
  [
    "machines of a control plane, which do more than boot",
    NAMES.flatMap((name) =>
      machineOf(name, 60, 100)
        .slice(0, 1)
        .map((one) => ({
          ...one,
          metadata: { ...one.metadata, labels: { "cluster.x-k8s.io/control-plane": "" } },
        })),
    ),
  ],
  [
    "forged times",
    NAMES.map((name) => ({
      apiVersion: "x",
      kind: "AzureMachinePoolMachine",
      metadata: { name, creationTimestamp: 7 as never },
      status: {
        conditions: [null, "x", { type: "BootstrapSucceeded", status: "True", lastTransitionTime: {} }],
      },
    })),
  ],
])("%s show nothing, and the table is used", (_, objects) => {
  const { model, lines } = learntDurations(objects);
  expect(lines).toEqual([]);
  expect(model).toEqual({
    source: expect.stringContaining("this fleet shows fewer than 5 of each") as string,
  });
});
