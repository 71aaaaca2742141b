import type { Node } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { after, node, NOW_MS, pod, type PodFacts } from "./builders.fixture.ts";
import { imageBytes, nextStep, type PodSettings } from "./kubelet-pods.ts";
import type { WorkloadPod } from "./workload-kinds.ts";

const settings: PodSettings = {
  imageBytes: { "web:1": 200_000_000 },
  pullBytesPerSecond: 50_000_000,
  startupMs: 5_000,
  stopMs: 2_000,
  evictionTimeoutMs: 300_000,
};

const running = (secondsAgo: number, ready: "True" | "False", reason?: string): WorkloadPod["status"] => ({
  phase: "Running",
  startTime: after(-secondsAgo),
  conditions: [
    { type: "Ready", status: ready, lastTransitionTime: after(-secondsAgo), ...(reason && { reason }) },
  ],
  containerStatuses: [
    {
      name: "main",
      image: "web:1",
      imageID: "",
      ready: false,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: after(-secondsAgo) } },
    },
  ],
});
const pulling = (secondsAgo: number): PodFacts["status"] => ({
  phase: "Pending",
  startTime: after(-secondsAgo),
});
const deleted = (secondsAgo: number, graceSeconds: number): PodFacts => ({
  status: running(60, "True"),
  metadata: {
    deletionTimestamp: after(graceSeconds - secondsAgo),
    deletionGracePeriodSeconds: graceSeconds,
  },
});
const patient = (tolerationSeconds?: number): NonNullable<PodFacts["spec"]> => ({
  tolerations: [
    {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
      ...(tolerationSeconds !== undefined && { tolerationSeconds }),
    },
  ],
});

const well = node("n");
const withImage = { ...well, status: { ...well.status, images: [{ names: ["web:1"] }] } };
const unwell = node("n", { ready: false });
const replaced = { ...well, metadata: { ...well.metadata, creationTimestamp: after(-1) } };

describe("a kubelet", () => {
  test.each<[string, PodFacts, Node | undefined, string]>([
    ["begins with a pod it has not seen", { status: { phase: "Pending" } }, well, "report Pending"],
    ["pulls images as fast as it can", { status: pulling(1) }, well, "wait 3000"],
    ["runs a pod when its images are there", { status: pulling(4) }, well, "report Running"],
    ["pulls no image that it has", { status: pulling(0) }, withImage, "report Running"],
    ["gives a pod time to start up", { status: running(2, "False") }, well, "wait 3000"],
    ["reports a pod that has started up", { status: running(5, "False") }, well, "report Ready=True"],
    ["leaves a pod alone that is ready", { status: running(60, "True") }, well, "wait"],
    ["leaves a pod alone that has ended", { status: { phase: "Failed" } }, well, "wait"],
    [
      "starts again what ran on the node before it",
      { status: running(60, "True") },
      replaced,
      "report Running",
    ],
    ["gives a pod time to stop", deleted(1, 30), well, "wait 1000"],
    ["gives it no more than its grace", deleted(1, 1), well, "remove"],
    ["removes a pod that has stopped", deleted(2, 30), well, "remove"],
    [
      "that is not ready does not stop pods",
      { ...deleted(60, 30), status: running(60, "False", "NodeNotReady") },
      unwell,
      "wait",
    ],
    ["that is not ready has no ready pods", { status: running(60, "True") }, unwell, "report Ready=False"],
    [
      "that is not ready keeps its pods while they tolerate it",
      { status: running(60, "False", "NodeNotReady"), spec: patient(300) },
      unwell,
      "wait 240000",
    ],
    [
      "that is not ready loses pods that tolerate it no longer",
      { status: running(300, "False", "NodeNotReady"), spec: patient(300) },
      unwell,
      "evict",
    ],
    [
      "that is not ready keeps daemons",
      { status: running(9999, "False", "NodeNotReady"), spec: patient() },
      unwell,
      "wait",
    ],
    [
      "that is silent loses pods that only tolerate one that is not ready",
      { status: running(60, "False", "NodeNotReady"), spec: patient(300) },
      { ...unwell, status: { conditions: [{ type: "Ready", status: "Unknown" }] } },
      "evict",
    ],
    ["that has vanished has no ready pods", { status: running(60, "True") }, undefined, "report Ready=False"],
    [
      "that has vanished may come back",
      { status: running(60, "False", "NodeLost") },
      undefined,
      "wait 240000",
    ],
    [
      "that has vanished for long has no pods",
      { status: running(300, "False", "NodeLost") },
      undefined,
      "remove",
    ],
  ])("%s", (_, facts, there, expected) => {
    const { spec, ...rest } = facts;
    const onNode = pod("p", { ...rest, spec: { nodeName: "n", ...spec } });
    expect(reported(nextStep({ pod: onNode, node: there, nowMs: NOW_MS, settings }))).toBe(expected);
  });

  test("reports the images it has pulled", () => {
    const scene = { pod: pod("p", { node: "n", status: pulling(4) }), node: well, nowMs: NOW_MS, settings };
    expect(nextStep(scene)).toMatchObject({ pulled: [{ names: ["web:1"], sizeBytes: 200_000_000 }] });
  });

  test("has a constant size for every image", () => {
    expect(imageBytes("web:1", settings.imageBytes)).toBe(200_000_000);
    const size = imageBytes("other:7", settings.imageBytes);
    expect(size).toBe(imageBytes("other:7", {}));
    expect(size).toBeGreaterThan(10_000_000);
    expect(size).toBeLessThan(1_000_000_000);
  });
});

function reported(step: ReturnType<typeof nextStep>): string {
  if (step.type === "wait") return step.afterMs === undefined ? "wait" : `wait ${step.afterMs}`;
  if (step.type !== "report") return step.type;
  const { phase, conditions } = step.status as NonNullable<WorkloadPod["status"]>;
  const ready = conditions?.find(({ type }) => type === "Ready")?.status;
  return `report ${phase ?? `Ready=${ready}`}`;
}
