import {
  type Condition,
  CONTROL_PLANE_LABEL,
  type Machine,
  type MachineHealthCheck,
  REMEDIATE_MACHINE_ANNOTATION,
  UPDATE_IN_PROGRESS_ANNOTATION,
} from "@capstan/api";
import {
  cluster,
  machine,
  machineHealthCheck,
  node,
  type Overrides,
} from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { decideBudget, decideHealth, isJudged, type Target } from "./decide.ts";

const NOW_MS = Date.parse("2026-01-01T01:00:00Z");
const at = (minutesAgo: number): string => new Date(NOW_MS - minutesAgo * 60_000).toISOString();
const condition = (type: string, status: Condition["status"], minutesAgo: number): Condition => ({
  type,
  status,
  reason: "Because",
  lastTransitionTime: at(minutesAgo),
});

const spec = machineHealthCheck({
  spec: {
    checks: {
      unhealthyNodeConditions: [{ type: "Ready", status: "False", timeoutSeconds: 300 }],
      unhealthyMachineConditions: [{ type: "DiskHealthy", status: "False", timeoutSeconds: 600 }],
    },
  },
}).spec;
const time = { cluster: cluster(), nowMs: NOW_MS };
const readyNode = (status: Condition["status"], minutesAgo: number) =>
  node({ status: { conditions: [{ type: "Ready", status, lastTransitionTime: at(minutesAgo) }] } });
const target = (overrides: Overrides<Machine>, seen: Target["node"]): Target => ({
  machine: machine({ metadata: { creationTimestamp: at(30) } }, overrides),
  node: seen,
});
const UPDATING = { [UPDATE_IN_PROGRESS_ANNOTATION]: "" };
const joined = { status: { nodeRef: { name: "n1" } } };

describe("a machine", () => {
  test.each<[string, Target, string]>([
    ["with a Ready Node is healthy", target(joined, readyNode("True", 20)), "healthy"],
    [
      "with a Node that is not Ready for too long is unhealthy",
      target(joined, readyNode("False", 6)),
      "UnhealthyNode",
    ],
    [
      "with a Node that is not Ready for a short time waits",
      target(joined, readyNode("False", 4)),
      "waiting",
    ],
    ["whose Node is gone is unhealthy", target(joined, undefined), "NodeNotFound"],
    [
      "that is updated in place is not judged by its Node",
      target({ ...joined, metadata: { annotations: UPDATING } }, readyNode("False", 60)),
      "healthy",
    ],
    [
      "that is updated in place is judged at once when a user asks for it",
      target({ metadata: { annotations: { ...UPDATING, [REMEDIATE_MACHINE_ANNOTATION]: "" } } }, undefined),
      "HasRemediateMachineAnnotation",
    ],
    [
      "whose update has failed is unhealthy",
      target(
        {
          metadata: { annotations: UPDATING },
          status: { update: { state: "Failed", specHash: "", since: at(1) } },
        },
        readyNode("True", 20),
      ),
      "UpdateFailed",
    ],
    ["of a cluster that does not answer is not judged by its Node", target(joined, "unknown"), "healthy"],
    [
      "that did not become a Node in time is unhealthy, although its cluster does not answer",
      target({}, "unknown"),
      "NodeStartupTimeout",
    ],
    [
      "that was just created waits for its Node, although its cluster does not answer",
      target({ metadata: { creationTimestamp: at(1) } }, "unknown"),
      "waiting",
    ],
    ["that never became a Node is unhealthy", target({}, undefined), "NodeStartupTimeout"],
    [
      "that was just created waits for its Node",
      target({ metadata: { creationTimestamp: at(1) } }, undefined),
      "waiting",
    ],
    [
      "that a user wants replaced is unhealthy at once",
      target(
        { ...joined, metadata: { annotations: { [REMEDIATE_MACHINE_ANNOTATION]: "" } } },
        readyNode("True", 20),
      ),
      "HasRemediateMachineAnnotation",
    ],
    [
      "that failed permanently is unhealthy at once",
      target(
        { status: { ...joined.status, deprecated: { v1beta1: { failureReason: "CreateError" } } } },
        readyNode("True", 20),
      ),
      "MachineHasFailure",
    ],
    [
      "with a condition of its own for too long is unhealthy",
      target(
        {
          status: {
            ...joined.status,
            conditions: [{ ...condition("DiskHealthy", "False", 11), reason: "Because", message: "" }],
          },
        },
        readyNode("True", 20),
      ),
      "UnhealthyMachine",
    ],
  ])("%s", (_, given, expected) => {
    const verdict = decideHealth(spec, given, time);
    expect(verdict.health === "unhealthy" ? verdict.reason : verdict.health).toBe(expected);
  });

  test("without a start-up limit may take for ever", () => {
    expect(
      decideHealth({ ...spec, checks: { nodeStartupTimeoutSeconds: 0 } }, target({}, undefined), time).health,
    ).toBe("healthy");
  });

  test("that waits is looked at again a second after its timeout", () => {
    const verdict = decideHealth(spec, target(joined, readyNode("False", 4)), time);
    expect(verdict).toEqual({ health: "waiting", recheckAfterMs: 61_000 });
  });
});

describe("before the control plane is initialized", () => {
  const provisioned = { infrastructureProvisioned: true };
  const worker = machine({});
  const first = machine({ metadata: { labels: { [CONTROL_PLANE_LABEL]: "" } } });

  test("a machine of the control plane is judged, and a worker is not", () => {
    const starting = cluster({ status: { initialization: provisioned } });
    expect([isJudged(first, starting), isJudged(worker, starting)]).toEqual([true, false]);
  });

  test("no machine is judged without infrastructure, and every machine once it is initialized", () => {
    expect([isJudged(first, cluster()), isJudged(worker, cluster())]).toEqual([false, false]);
    const conditions = [
      { ...condition("ControlPlaneInitialized", "True", 1), reason: "Because", message: "" },
    ];
    const initialized = cluster({ status: { initialization: provisioned, conditions } });
    expect([isJudged(first, initialized), isJudged(worker, initialized)]).toEqual([true, true]);
  });
});

type Trigger = NonNullable<NonNullable<MachineHealthCheck["spec"]["remediation"]>["triggerIf"]>;

test.each<[Trigger | undefined, number, number, boolean, number]>([
  [undefined, 10, 0, true, 0],
  [{ unhealthyLessThanOrEqualTo: "40%" }, 10, 6, true, 0],
  [{ unhealthyLessThanOrEqualTo: "40%" }, 10, 5, false, 0],
  [{ unhealthyLessThanOrEqualTo: "40%" }, 4, 3, true, 0],
  [{ unhealthyLessThanOrEqualTo: 2 }, 10, 9, true, 1],
  [{ unhealthyInRange: "[3-5]" }, 10, 8, false, 0],
  [{ unhealthyInRange: "[3-5]" }, 10, 6, true, 1],
  [{ unhealthyInRange: "[3-5]" }, 10, 4, false, 0],
])(
  "with %j, %i machines of which %i are healthy: allowed %s, %i more",
  (triggerIf, expected, healthy, isAllowed, allowed) => {
    const check = machineHealthCheck({ spec: triggerIf ? { remediation: { triggerIf } } : {} });
    expect(decideBudget(check.spec, expected, healthy)).toMatchObject({ isAllowed, allowed });
  },
);
