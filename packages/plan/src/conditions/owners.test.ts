import type { StandardConditionUpdate } from "@capstan/api";
import { kubeadmControlPlane, machine, machineDeployment } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { controlPlaneConditions } from "./control-plane.ts";
import { machineDeploymentConditions } from "./machine-deployment.ts";

const deletionTimestamp = "2026-01-01T00:00:00Z";

/** The conditions that are True or False, with their messages. */
function shown(
  conditions: readonly StandardConditionUpdate[],
  ...types: readonly string[]
): readonly string[] {
  return types.map((type) => {
    const { status, message } = conditions.find((one) => one.type === type) ?? {};
    return `${type} ${status}${message ? `: ${message}` : ""}`;
  });
}

describe("a control plane", () => {
  const conditionsOf = (metadata: object, machines: number): readonly StandardConditionUpdate[] =>
    controlPlaneConditions(kubeadmControlPlane({ metadata, spec: { replicas: 3 } }), {
      machines: Array.from({ length: machines }, (_, at) => machine({ metadata: { name: `m${at}` } })),
      isMarked: () => false,
      outdated: 2,
      blocked: [],
      trouble: undefined,
    });

  test("scales up to its replicas", () => {
    expect(shown(conditionsOf({}, 1), "ScalingUp", "ScalingDown", "RollingOut", "Deleting")).toEqual([
      "ScalingUp True: Scaling up from 1 to 3 replicas",
      "ScalingDown False",
      "RollingOut True: Rolling out 2 of 1 machine",
      "Deleting False",
    ]);
  });

  test("that is being deleted scales down to nothing, and rolls nothing out", () => {
    const conditions = conditionsOf({ deletionTimestamp }, 3);
    expect(shown(conditions, "Available", "ScalingUp", "ScalingDown", "RollingOut", "Deleting")).toEqual([
      "Available False: Deletion in progress",
      "ScalingUp False",
      "ScalingDown True: Scaling down from 3 to 0 replicas",
      "RollingOut False",
      "Deleting True: Deleting 3 machines",
    ]);
    expect(shown(conditionsOf({ deletionTimestamp }, 0), "ScalingDown", "Deleting")).toEqual([
      "ScalingDown False",
      "Deleting True: Deleting 0 machines",
    ]);
  });
});

describe("a MachineDeployment", () => {
  const conditionsOf = (metadata: object, replicas?: number): readonly StandardConditionUpdate[] => {
    const { spec, ...rest } = machineDeployment({
      metadata,
      status: { replicas: 2, deprecated: { v1beta1: { updatedReplicas: 1 } } },
    });
    const { replicas: _, ...others } = spec;
    const deployment = { ...rest, spec: { ...others, ...(replicas !== undefined && { replicas }) } };
    return machineDeploymentConditions(deployment, { sets: [], blocked: [], trouble: undefined });
  };

  test.each<[string, number | undefined, string, string]>([
    ["scales up to its replicas", 3, "ScalingUp True: Scaling up from 2 to 3 replicas", "ScalingDown False"],
    ["with its replicas does not scale", 2, "ScalingUp False", "ScalingDown False"],
    [
      "without a number of replicas has one",
      undefined,
      "ScalingUp False",
      "ScalingDown True: Scaling down from 2 to 1 replica",
    ],
  ])("%s", (_, replicas, up, down) => {
    const conditions = conditionsOf({}, replicas);
    expect(shown(conditions, "ScalingUp", "ScalingDown")).toEqual([up, down]);
    expect(shown(conditions, "RollingOut")).toEqual(["RollingOut True: Rolling out 1 of 2 machines"]);
  });

  test("that is being deleted scales down to nothing, and rolls nothing out", () => {
    expect(shown(conditionsOf({ deletionTimestamp }, 3), "ScalingUp", "ScalingDown", "RollingOut")).toEqual([
      "ScalingUp False",
      "ScalingDown True: Scaling down from 2 to 0 replicas",
      "RollingOut False",
    ]);
  });
});
