import { transient } from "@capstan/runtime";
import { cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { NO_NODE } from "../../workload/drain/drain-machine.ts";
import { instanceOf, machineOf, nodeOf } from "../azuremachinepoolmachine/machine.fixture.ts";
import { type DisruptionCandidate, isLeaving } from "./disruption-candidates.ts";
import { withUndrainedNodes } from "./undrained-nodes.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";
const deletionTimestamp = lastTransitionTime;

/** A machine that is being deleted and counts as drained for a reason. */
function candidate(reason: string, parts: Partial<DisruptionCandidate> = {}): DisruptionCandidate {
  const conditions = [{ type: "Drained", status: "True" as const, reason, lastTransitionTime }];
  const machine = machineOf({ metadata: { deletionTimestamp }, status: { conditions } });
  return { machine, seen: instanceOf(), node: undefined, ...parts };
}

describe("the instance of a machine that is being deleted", () => {
  test("is deleted when its Node is drained, and when it never had one", () => {
    expect(isLeaving(candidate("Drained", { node: nodeOf() }))).toBe(true);
    expect(isLeaving(candidate(NO_NODE))).toBe(true);
  });

  test("stays while a Node that joined late is not drained", () => {
    expect(isLeaving(candidate(NO_NODE, { node: nodeOf() }))).toBe(false);
  });

  test("stays when the drained Node is another one than it has now", () => {
    const { machine } = candidate("Drained");
    const instanceUpdate = {
      nodeUID: "old-uid",
      nodeName: "pool000000",
      bootID: "old-boot",
      modelHash: "v1-aa",
      startedAt: lastTransitionTime,
    };
    const status = { ...machine.status, instanceUpdate };
    expect(isLeaving(candidate("Drained", { machine: { ...machine, status }, node: nodeOf() }))).toBe(false);
  });

  test("is not deleted twice", () => {
    expect(isLeaving(candidate("Drained", { seen: instanceOf({ provisioningState: "Deleting" }) }))).toBe(
      false,
    );
  });
});

describe("a live read of the Nodes of machines that had none", () => {
  const silent = {
    cluster: cluster({ metadata: { name: "demo" } }),
    isClusterGoing: false,
    shared: {
      ports: { workloads: { get: () => Promise.reject(transient("Unreachable", "no answer")) } },
    },
  };
  const unsure = candidate(NO_NODE, { seen: instanceOf({ osProfile: { computerName: "pool000000" } }) });

  test("that gets no answer leaves all of them alone", async () => {
    expect(await withUndrainedNodes(silent, [unsure])).toEqual(new Set(["0"]));
  });

  test("is not made for a machine whose drained Node is known", async () => {
    expect(await withUndrainedNodes(silent, [candidate("Drained", { node: nodeOf() })])).toEqual(new Set());
  });

  test("is not made when the whole cluster is being deleted", async () => {
    expect(await withUndrainedNodes({ ...silent, isClusterGoing: true }, [unsure])).toEqual(new Set());
  });
});
