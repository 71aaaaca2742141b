import { machine, machineDeployment, machineSet } from "@capstan/runtime/testing/builders";
import { describe, expect, test } from "vitest";
import { type ViewInput, viewOf } from "./view.ts";

const REVISION = "machinedeployment.clusters.x-k8s.io/revision";
const withRevision = (revision: string): object => ({ metadata: { annotations: { [REVISION]: revision } } });

function view(parts: Partial<ViewInput> = {}): ReturnType<typeof viewOf> {
  return viewOf({ set: machineSet(), machines: [], preflight: [], nowMs: 0, ...parts });
}

describe("the facts about a MachineSet", () => {
  test("have the replicas of its spec, or one", () => {
    const { spec, ...rest } = machineSet();
    const { replicas: _, ...others } = spec;
    expect(view({ set: { ...rest, spec: others } }).replicas).toBe(1);
    expect(view({ set: machineSet({ spec: { replicas: 0 } }) }).replicas).toBe(0);
  });

  test("have the order of its deletions, or a random one", () => {
    expect(view().deletePolicy).toBe("Random");
    expect(view({ set: machineSet({ spec: { deletion: { order: "Oldest" } } }) }).deletePolicy).toBe(
      "Oldest",
    );
  });

  test("say whether it has the current revision of its MachineDeployment", () => {
    const set = machineSet(withRevision("2"));
    expect(view({ set }).isCurrent).toBe(true);
    expect(view({ set, deployment: machineDeployment(withRevision("2")) }).isCurrent).toBe(true);
    expect(view({ set, deployment: machineDeployment(withRevision("3")) }).isCurrent).toBe(false);
  });

  test.each([
    [undefined, undefined],
    [2, 2],
    ["50%", 2],
  ])("with maxInFlight %j of three replicas let %j machines be replaced at once", (maxInFlight, expected) => {
    const spec = { replicas: 3, ...(maxInFlight !== undefined && { remediation: { maxInFlight } }) };
    expect(view({ deployment: machineDeployment({ spec }) }).maxInFlight).toBe(expected);
  });

  test("count a machine without a Node as unhealthy", () => {
    const machines = [machine({ metadata: { name: "a" } }), machine({ status: { nodeRef: { name: "n" } } })];
    expect(view({ machines }).machines.map(({ isUnhealthy }) => isUnhealthy)).toEqual([true, false]);
  });
});
