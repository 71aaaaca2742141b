import { PENDING_HOOKS_ANNOTATION, UPDATE_IN_PROGRESS_ANNOTATION, UPDATE_MACHINE_HOOK } from "@capstan/api";
import { machine } from "@capstan/runtime/testing/builders";
import { expect, test } from "vitest";
import { ownerTree } from "./owner-tree.ts";

const SINCE = "2026-01-01T00:00:00Z";
const READY = [{ type: "Ready", status: "True" as const, reason: "X", lastTransitionTime: SINCE }];
const annotations = {
  [UPDATE_IN_PROGRESS_ANNOTATION]: "",
  [PENDING_HOOKS_ANNOTATION]: UPDATE_MACHINE_HOOK,
};

function running(name: string, kubeletVersion: string) {
  const nodeRef = { apiVersion: "v1", kind: "Node", name };
  const nodeInfo = { kubeletVersion } as never;
  return machine({
    metadata: { name },
    spec: { version: kubeletVersion },
    status: { nodeRef, nodeInfo, deprecated: { v1beta1: { conditions: READY } } },
  });
}

function updating(name: string, state: "InProgress" | "Failed", message: string) {
  const { metadata, spec, status, ...kind } = running(name, "v1.33.5");
  const update = { updater: "kubeadm-upgrade", specHash: "h", state, since: SINCE, attempts: 3, message };
  return {
    ...kind,
    metadata: { ...metadata, annotations },
    spec: { ...spec, version: "v1.34.1", updaters: ["kubeadm-upgrade", "resizer"] },
    status: { ...status, update },
  };
}

test("shows what updaters do with machines, for how long, and their last answers", () => {
  const text = ownerTree({
    lines: ["MachineDeployment default/workers: 1 of 4 up to date", "WaitingForApproval: look at it"],
    machines: [
      running("workers-10", "v1.33.5"),
      running("workers-9", "v1.34.1"),
      updating("workers-2", "InProgress", "the kubelet restarts"),
      updating("workers-3", "Failed", "no packages"),
    ],
    outdated: new Set(["workers-10"]),
    nowMs: Date.parse(SINCE) + 84_000,
  });
  expect(text).toBe(
    [
      "MachineDeployment default/workers: 1 of 4 up to date",
      "├── updating: 1",
      "│   └── workers-2   v1.33.5 to v1.34.1",
      "│       └── kubeadm-upgrade for 84s, 3 calls, then resizer: the kubelet restarts",
      "├── update failed: 1",
      "│   └── workers-3   v1.33.5 to v1.34.1",
      "│       └── kubeadm-upgrade for 84s, 3 calls, then resizer: no packages",
      "├── outdated: 1",
      "│   └── workers-10   v1.33.5",
      "├── up to date: 1",
      "│   └── workers-9   v1.34.1",
      "└── WaitingForApproval: look at it",
      "",
    ].join("\n"),
  );
});

test("counts the machines for which the window has no lines, and shows those that are updated first", () => {
  const machines = Array.from({ length: 50 }, (_, at) => running(`workers-${at}`, "v1.34.1"));
  const text = ownerTree(
    {
      lines: ["MachineDeployment default/workers"],
      machines: [...machines, updating("a", "InProgress", "")],
      outdated: new Set(),
      nowMs: Date.parse(SINCE),
    },
    24,
  );
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(24);
  expect(text).toContain("├── updating: 1\n│   └── a");
  expect(text).toMatch(/up to date: 50\n.*workers-0 .*\n[^]*and 41 more\n$/);
});
