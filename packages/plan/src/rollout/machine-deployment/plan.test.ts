import { expect, test } from "vitest";
import { planDeployment } from "./plan.ts";
import type { DeploymentView, InPlaceMachine, SetView } from "./view.ts";

function set(name: string, machines: number, differences: Partial<SetView> = {}): SetView {
  return {
    name,
    createdMs: name === "old" ? 0 : 1,
    revision: 1,
    replicas: machines,
    current: machines,
    deleting: 0,
    available: machines,
    isUpToDate: name === "new",
    isDeleting: false,
    receives: [],
    handsOver: [],
    ...differences,
  };
}

/** A deployment that updates in place: two machines are old, and one in the new set is not available. */
function view(state: InPlaceMachine["state"], maxSurge: number): DeploymentView {
  const machine = (name: string, owner: string): InPlaceMachine => ({
    name,
    set: owner,
    state: owner === "new" ? state : "ready",
    createdMs: 0,
    isAvailable: owner === "old",
    isFirstToGo: owner === "new",
    isMarked: false,
  });
  const covered = { result: "Covered", updaters: ["resizer"], why: "resizer changes it" } as const;
  return {
    namespace: "default",
    name: "workers",
    replicas: 3,
    strategy: "RollingUpdate",
    maxSurge,
    maxUnavailable: 1,
    sets: [set("old", 2), set("new", 1, { available: 0 })],
    keptRevisions: 0,
    newSetName: "newer",
    whyNewSet: "the template has changed",
    inPlace: {
      isChosen: true,
      machines: [machine("m1", "old"), machine("m2", "old"), machine("m3", "new")],
      verdicts: new Map([["old", covered]]),
      preflight: [],
    },
  };
}

/** The plan in a few words. */
function planText(given: DeploymentView): readonly string[] {
  const { actions, blocked } = planDeployment(given);
  return [
    ...actions.map(({ action, targets }) => `${action} ${targets.join()}`),
    ...blocked.map(({ reason }) => reason),
  ];
}

test.each<[string, DeploymentView, readonly string[]]>([
  ["is being updated is waited for", view("updating", 0), ["Wait m3", "Wait new"]],
  [
    "starts holds the update up with a surge, too, which is for replacements",
    view("starting", 1),
    ["Wait new", "NewMachinesNotAvailable"],
  ],
  [
    "starts holds the update up without a surge, and the deployment says so",
    view("starting", 0),
    ["Wait new", "NewMachinesNotAvailable"],
  ],
])("a new machine that %s", (_, given, expected) => {
  expect(planText(given)).toEqual(expected);
});
