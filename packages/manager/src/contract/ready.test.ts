import { type Condition, deprecatedConditionsOf } from "@capstan/api";
import { azureCluster, cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { mirrorReady, summarize } from "./ready.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";
const condition = (type: string, status: Condition["status"], reason = "Because"): Condition => ({
  type,
  status,
  reason,
  lastTransitionTime,
});

describe("the Ready condition of a referenced object", () => {
  test("is mirrored on its owner", () => {
    const conditions = [{ ...condition("Ready", "False", "Lost"), severity: "Error", message: "at sea" }];
    const mirrored = mirrorReady(
      "InfrastructureReady",
      azureCluster({ status: { ready: true, conditions } }),
      "Waiting",
    );
    expect(mirrored).toEqual({
      type: "InfrastructureReady",
      status: "False",
      severity: "Error",
      reason: "Lost",
      message: "at sea",
    });
  });

  test("is taken from its status while it has no condition, and a reason is never empty", () => {
    expect(mirrorReady("X", azureCluster(), "Waiting")).toEqual({
      type: "X",
      status: "False",
      severity: "Info",
      reason: "Waiting",
    });
    expect(mirrorReady("X", azureCluster({ status: { ready: true } }), "Waiting")).toEqual({
      type: "X",
      status: "True",
      reason: "Ready",
    });
    const conditions = [condition("Ready", "True", "")];
    expect(mirrorReady("X", azureCluster({ status: { conditions } }), "Waiting")).toMatchObject({
      status: "True",
      reason: "Ready",
    });
  });
});

describe("the summary of conditions", () => {
  const nowMs = Date.parse("2026-05-05T00:00:00Z");

  test("replaces the runner's condition of a requeued pass", () => {
    const requeueReason = condition("Ready", "False", "WatchingNodes");
    const object = cluster({
      status: {
        deprecated: {
          v1beta1: { conditions: [requeueReason, condition("A", "True"), condition("B", "True")] },
        },
      },
    });
    summarize(object, ["A", "B"], nowMs);
    expect(deprecatedConditionsOf(object)).toMatchObject([
      { type: "Ready", status: "True", reason: "Ready" },
      { type: "A" },
      { type: "B" },
    ]);
  });

  test("names the worst of the given conditions", () => {
    const sunk = { ...condition("B", "False", "Sunk"), severity: "Error" };
    const object = cluster({
      status: {
        deprecated: { v1beta1: { conditions: [condition("A", "True"), sunk, condition("C", "False")] } },
      },
    });
    summarize(object, ["A", "B"], nowMs);
    expect(deprecatedConditionsOf(object)?.[0]).toMatchObject({
      status: "False",
      reason: "Sunk",
      severity: "Error",
    });
  });
});
