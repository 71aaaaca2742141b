import { expect, test } from "vitest";
import { planDeployment } from "../plan.ts";
import type { DeploymentView, InPlaceMachine, SetUpdateVerdict, SetView } from "../view.ts";

function set(name: string, revision: number, replicas: number, hasSpare = false): SetView {
  return {
    name,
    createdMs: revision,
    revision,
    isUpToDate: name === "new",
    isDeleting: false,
    replicas,
    current: replicas,
    deleting: 0,
    available: replicas,
    receives: [],
    handsOver: [],
    hasSpare,
  };
}

function machine(name: string, of: string): InPlaceMachine {
  return {
    name,
    set: of,
    createdMs: 1,
    state: "ready",
    isAvailable: true,
    isFirstToGo: false,
    isMarked: false,
  };
}

/** Three machines are desired, and a fourth one was added for an update to another template than the present one. */
function changedAgain(result: "Covered" | "Unknown", sets: readonly SetView[]): DeploymentView {
  const verdict: SetUpdateVerdict =
    result === "Covered" ? { result, updaters: ["u"], why: "" } : { result, why: "" };
  return {
    namespace: "default",
    name: "workers",
    replicas: 3,
    strategy: "RollingUpdate",
    maxSurge: 1,
    maxUnavailable: 0,
    sets,
    keptRevisions: 0,
    inPlace: {
      isChosen: true,
      machines: [
        ...["a", "b"].map((name) => machine(name, "first")),
        ...["c", "d"].map((name) => machine(name, "second")),
      ],
      verdicts: new Map(["first", "second"].map((name) => [name, verdict])),
      preflight: [],
    },
    newSetName: "new",
    whyNewSet: "the template has changed",
  };
}

const OLD = [set("first", 1, 2), set("second", 2, 2, true)];

test("a template that changes beside a spare machine forgets it not before the new set has the record", () => {
  const waiting = planDeployment(changedAgain("Unknown", OLD));
  expect(waiting.actions.filter(({ action }) => action === "ScaleMachineSet")).toEqual([]);
  expect(waiting.records?.get("second")).toMatchObject({ hasSpare: true });

  const created = planDeployment(changedAgain("Covered", OLD));
  expect(created.actions).toMatchObject([{ action: "CreateMachineSet" }]);
  expect(created.records?.get("second")).toMatchObject({ hasSpare: true });
  expect(created.records?.get("new")).toMatchObject({ hasSpare: true });

  const recorded = planDeployment(changedAgain("Covered", [...OLD, set("new", 3, 0, true)]));
  expect(recorded.records?.get("second")).toMatchObject({ hasSpare: false });
});
