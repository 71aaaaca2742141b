import { UPDATE_IN_PROGRESS_ANNOTATION } from "@capstan/api";
import { azureMachinePoolMachine, machine } from "@capstan/runtime/testing/builders";
import type { LaneSegment } from "@capstan/page";
import { describe, expect, test } from "vitest";
import { LaneHistory, mergedSegments } from "./lane-history.ts";
import { levelsBefore } from "./levels.ts";
import { type LaneMachine, segmentsOf } from "./segments.ts";
import { obstacleOf } from "./unblock.ts";

const at = (minute: number): string => new Date(minute * 60_000).toISOString();
const isTrue = (type: string, minute: number) => ({
  type,
  status: "True" as const,
  lastTransitionTime: at(minute),
});
const NOW_MS = 60 * 60_000;

/** The phases with the minutes at which they begin. */
function phases(segments: readonly LaneSegment[]): readonly string[] {
  return segments.map(({ phase, fromMs }) => `${phase} ${fromMs / 60_000}`);
}

const created = { name: "workers-0", uid: "u", creationTimestamp: at(1) };
const conditions = [isTrue("VMRunning", 2), isTrue("BootstrapSucceeded", 3), isTrue("Ready", 4)];

describe("the phases of a machine", () => {
  test.each<readonly [string, LaneMachine, readonly string[]]>([
    [
      "of a pool that is Ready",
      azureMachinePoolMachine({ metadata: created, status: { conditions } }),
      ["create 1", "boot 2", "join 3", "ready 4"],
    ],
    [
      "of a pool that is drained and then deleted",
      azureMachinePoolMachine({
        metadata: { ...created, deletionTimestamp: at(5) },
        status: { conditions: [...conditions, isTrue("Drained", 8)], nodeDrainStartTime: at(6) },
      }),
      ["create 1", "boot 2", "join 3", "ready 4", "cordon 5", "drain 6", "delete 8"],
    ],
    [
      "of a deployment that waits for its VM",
      machine({
        metadata: created,
        status: { conditions: [isTrue("InfrastructureReady", 3)] as never },
      }),
      ["create 1", "boot 3"],
    ],
    [
      "that updaters work on",
      machine({
        metadata: { ...created, annotations: { [UPDATE_IN_PROGRESS_ANNOTATION]: "" } },
        spec: { updaters: ["kubeadm"] },
        status: {
          conditions: [isTrue("Ready", 4)] as never,
          update: { updater: "kubeadm", since: at(7) },
        },
      }),
      ["create 1", "ready 4", "update 7"],
    ],
  ])("%s come from its conditions", (_, object, expected) => {
    expect(phases(segmentsOf(object, NOW_MS))).toEqual(expected);
  });

  test("are kept when its object tells less", () => {
    const before = segmentsOf(azureMachinePoolMachine({ metadata: created, status: { conditions } }), NOW_MS);
    const unready = segmentsOf(
      azureMachinePoolMachine({
        metadata: created,
        status: {
          nodeRef: { name: "n" },
          conditions: [
            ...conditions.slice(0, 2),
            { type: "NodeHealthy", status: "False", lastTransitionTime: at(9) },
          ],
        },
      }),
      NOW_MS,
    );
    expect(phases(mergedSegments(before, unready))).toEqual([
      "create 1",
      "boot 2",
      "join 3",
      "ready 4",
      "unready 9",
    ]);
  });

  test("keep their beginning while they last", () => {
    const first: readonly LaneSegment[] = [{ phase: "image", fromMs: 5 }];
    expect(mergedSegments(first, [{ phase: "image", fromMs: 8, message: "taken" }])).toEqual([
      { phase: "image", fromMs: 5, message: "taken" },
    ]);
  });
});

test("a machine that is gone keeps its lane, with an end", () => {
  const history = new LaneHistory();
  const object = azureMachinePoolMachine({ metadata: created, status: { conditions } });
  history.note(object, NOW_MS);
  history.noteGone(object, NOW_MS);
  const [record] = history.select(() => true);
  expect(record).toMatchObject({ goneMs: NOW_MS });
  expect(record?.segments.at(-1)).toMatchObject({ phase: "ready", toMs: NOW_MS });
});

test("how many machines were Ready before is counted from their phases", () => {
  const lanes = [
    { segments: [{ phase: "ready" as const, fromMs: 1, toMs: 5 }] },
    { segments: [{ phase: "ready" as const, fromMs: 3 }] },
  ];
  expect(levelsBefore(lanes, 6)).toEqual([
    [1, 1],
    [3, 2],
    [5, 1],
  ]);
});

describe("what holds a rollout up", () => {
  const rollout = {
    word: "workers",
    kind: "AzureMachinePool",
    namespace: "default",
    name: "workers",
    cluster: "quay",
    flags: "--data-dir x",
  };

  test("is a budget by its name, with the command that lets the eviction happen", () => {
    const message =
      "Draining Node n; pod default/a is not evicted: PodDisruptionBudget default/web allows no disruption now";
    expect(obstacleOf({ who: "workers-0", reason: "DrainBlocked", message }, rollout)).toMatchObject({
      blocking: "PodDisruptionBudget default/web",
      command: `kubectl --kubeconfig <(npx capstan get kubeconfig quay --data-dir x) patch poddisruptionbudget web -n default --type merge -p '{"spec":{"minAvailable":null,"maxUnavailable":1}}'`,
    });
  });

  test.each([
    ["Paused", "npx capstan rollout resume workers -n default --data-dir x"],
    ["Failed", "kubectl describe azuremachinepool workers -n default"],
  ])("%s is answered with %s", (reason, command) => {
    expect(obstacleOf({ who: "blocked", reason, message: "m" }, rollout).command).toBe(command);
  });

  test("is never a command with a name that no object can have", () => {
    const message = "PodDisruptionBudget default/$(reboot) allows no disruption";
    expect(obstacleOf({ who: "a", reason: "DrainBlocked", message }, rollout).command).not.toContain(
      "reboot",
    );
  });
});
