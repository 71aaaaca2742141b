import { kubeadmControlPlane, machine } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { newMachineReason, outdatedReasons } from "./outdated.ts";

const NOW_MS = Date.parse("2026-01-02T00:00:00Z");

describe("spec.rollout.after", () => {
  const created = machine({ metadata: { creationTimestamp: "2026-01-01T00:00:00Z" } });

  test.each<[string, string | undefined, number]>([
    ["is not set: no machine is too old", undefined, 0],
    ["is later than the creation: the machine is too old", "2026-01-01T00:00:01Z", 1],
    ["is the time of the creation: the machine is new enough", "2026-01-01T00:00:00Z", 0],
    ["is before the creation: the machine is new enough", "2025-12-31T00:00:00Z", 0],
    ["is still to come: no machine is too old yet", "2026-01-02T00:00:01Z", 0],
    ["is no time: no machine is too old", "soon", 0],
  ])("%s", (_, after, count) => {
    expect(newMachineReason(after, created, NOW_MS)).toHaveLength(count);
  });
});

test("a machine of another version or template is outdated, and says so", () => {
  const controlPlane = kubeadmControlPlane({
    metadata: { name: "cp" },
    spec: {
      version: "v1.34.1",
      machineTemplate: { spec: { infrastructureRef: { name: "large" } } },
    },
  });
  const reasonsOf = (version: string, template: string | undefined): readonly string[] =>
    outdatedReasons(
      controlPlane,
      { machine: machine({ spec: { version } }), config: undefined, template },
      NOW_MS,
    );
  expect(reasonsOf("v1.34.1", "large")).toEqual([]);
  expect(reasonsOf("v1.34.1", undefined)).toEqual([]);
  expect(reasonsOf("v1.33.5", "small")).toEqual([
    "version v1.33.5 is not v1.34.1",
    "it was made from template small, and the template is now large",
  ]);
});
