import { transient } from "@capstan/runtime";
import { cluster } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { NO_NODE } from "../../../workload/drain/drain-machine.ts";
import { instanceOf, machineOf, nodeOf } from "../../../pools/machine.fixture.ts";
import { type DisruptionCandidate, withUndrainedNodes } from "./undrained-nodes.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";

/** A machine that is being deleted and counts as drained for a reason. */
function candidate(reason: string, parts: Partial<DisruptionCandidate> = {}): DisruptionCandidate {
  const conditions = [{ type: "Drained", status: "True" as const, reason, lastTransitionTime }];
  const machine = machineOf({
    metadata: { deletionTimestamp: lastTransitionTime },
    status: { conditions },
  });
  return { machine, instance: instanceOf(), node: undefined, ...parts };
}

describe("a live read of the Nodes of machines that had none", () => {
  const silent = {
    cluster: cluster({ metadata: { name: "demo" } }),
    isClusterGoing: false,
    shared: {
      ports: { workloads: { get: () => Promise.reject(transient("Unreachable", "no answer")) } },
    },
  };
  const unsure = candidate(NO_NODE, { instance: instanceOf({ osProfile: { computerName: "pool000000" } }) });

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
