import type { Condition } from "@capstan/api";
import { expect, test } from "vitest";
import { hasTrouble } from "./trouble.ts";

const NOW_MS = Date.UTC(2026, 0, 1, 12);
const is = (type: string, status: Condition["status"], more: Partial<Condition> = {}): Condition => ({
  type,
  status,
  reason: type,
  lastTransitionTime: "2026-01-01T11:55:00Z",
  ...more,
});
/** An object of a kind that reports in both forms. */
const both = (conditions: readonly Condition[], older: readonly Condition[]) => ({
  status: { conditions, deprecated: { v1beta1: { conditions: older } } },
});
const unavailable = is("Available", "False", { reason: "NotAvailable" });

test.each([
  ["an object that has not reported yet", {}, false],
  [
    "progress",
    { status: { conditions: [is("Ready", "False", { severity: "Info", reason: "Creating" })] } },
    false,
  ],
  ["a failure", { status: { conditions: [is("Ready", "False", { severity: "Error" })] } }, true],
  [
    "a control plane that grows, which Cluster API reports as a warning",
    both([unavailable], [is("Resized", "False", { severity: "Warning", reason: "ScalingUp" })]),
    false,
  ],
  [
    "machines that are not available yet",
    both([unavailable], [is("Available", "False", { severity: "Warning", reason: "NotEnoughAvailable" })]),
    false,
  ],
  [
    "a control plane whose next machine waits for this one",
    both([], [is("Resized", "False", { severity: "Warning", reason: "PreflightCheckFailed" })]),
    false,
  ],
  [
    "a control plane that may not be repaired",
    both([], [is("OwnerRemediated", "False", { severity: "Warning", reason: "CannotBeRemediated" })]),
    true,
  ],
  [
    "a pass that waits for something else",
    both(
      [is("Reconciled", "False", { reason: "WaitingForControlPlaneAvailable" })],
      [is("Ready", "False", { severity: "Info", reason: "WaitingForControlPlaneAvailable" })],
    ),
    false,
  ],
  [
    "a Node that is not Ready in its first minutes",
    both(
      [],
      [
        is("NodeHealthy", "False", {
          severity: "Warning",
          reason: "NodeConditionsFailed",
          lastTransitionTime: "2026-01-01T11:58:00Z",
        }),
        is("Ready", "False", { severity: "Warning", reason: "NodeConditionsFailed" }),
      ],
    ),
    false,
  ],
  [
    "a Node that has not been Ready for longer",
    both([], [is("NodeHealthy", "False", { severity: "Warning", reason: "NodeConditionsFailed" })]),
    true,
  ],
  [
    "a cluster whose machines are not available yet, with nothing of its own amiss",
    {
      status: {
        ...both([unavailable], [is("Ready", "True")]).status,
        initialization: { infrastructureProvisioned: true },
      },
    },
    false,
  ],
  ["a pass that failed", both([is("Reconciled", "False")], []), true],
  [
    "a control plane that no longer answers",
    both([is("ControlPlaneInitialized", "True"), is("RemoteConnectionProbe", "False")], []),
    true,
  ],
  [
    "a control plane that does not answer yet",
    both([is("ControlPlaneInitialized", "False"), is("RemoteConnectionProbe", "False")], []),
    false,
  ],
  [
    "an object of another provider that is being created",
    { status: { conditions: [is("Ready", "False")], initialization: {} } },
    false,
  ],
  [
    "an object of another provider that was ready once",
    { status: { conditions: [is("Ready", "False")], initialization: { provisioned: true } } },
    true,
  ],
])("%s: needs a user is %o", (_, object, expected) => {
  expect(hasTrouble(object, NOW_MS)).toBe(expected);
});
