import { describe, expect, test } from "vitest";
import { recordMove, settleHandOver } from "./hand-over.ts";
import type { InPlaceMachine, SetView } from "./view.ts";

function set(name: string, differences: Partial<SetView> = {}): SetView {
  return {
    name,
    createdMs: 0,
    revision: 1,
    replicas: 2,
    current: 2,
    deleting: 0,
    available: 2,
    isUpToDate: name === "new",
    isDeleting: false,
    receives: [],
    handsOver: [],
    ...differences,
  };
}

const machine = (name: string, owner: string, state: InPlaceMachine["state"] = "ready"): InPlaceMachine => ({
  name,
  set: owner,
  state,
  createdMs: 0,
  isAvailable: state === "ready",
  isFirstToGo: state !== "ready",
  isMarked: false,
});

/** The sets in a few words: replicas, what they receive, and what they hand over. */
function settled(
  sets: readonly SetView[],
  machines: readonly InPlaceMachine[],
  target: string | undefined = "new",
): readonly string[] {
  return settleHandOver({ sets, machines, target }).sets.map(
    ({ name, replicas, receives, handsOver }) =>
      `${name} ${replicas} +${receives.join()} -${handsOver.join()}`,
  );
}

const old = set("old", { replicas: 1, handsOver: ["m1"] });
const receiving = set("new", { replicas: 1, receives: ["m1"] });

describe("a recorded move", () => {
  test("stays recorded in both sets until the machine has changed its owner", () => {
    expect(settled([old, receiving], [machine("m1", "old")])).toEqual(["old 1 + -m1", "new 1 +m1 -"]);
    expect(settled([old, receiving], [machine("m1", "new")])).toEqual(["old 1 + -", "new 1 + -"]);
  });

  test("whose first record was the last write before a crash is recorded in the other set, too", () => {
    const unaware = set("old", { replicas: 2 });
    expect(settled([unaware, receiving], [machine("m1", "old")])).toEqual(["old 1 + -m1", "new 1 +m1 -"]);
  });

  test("is taken back when its set is no longer the target, or is being deleted", () => {
    const machines = [machine("m1", "old")];
    expect(settled([old, receiving], machines, "other")).toEqual(["old 2 + -", "new 0 + -"]);
    expect(settled([old, { ...receiving, isDeleting: true }], machines)).toEqual(["old 2 + -", "new 0 + -"]);
  });

  test("of a machine that is being deleted gives its place back to no set", () => {
    const machines = [machine("m1", "old", "deleting")];
    expect(settled([old, receiving], machines)).toEqual(["old 1 + -", "new 1 + -"]);
  });

  test("of a machine that does not exist is forgotten", () => {
    expect(settled([old, receiving], [])).toEqual(["old 1 + -", "new 1 + -"]);
  });

  test("changes the sizes of both sets when it is recorded", () => {
    const sets = recordMove([set("old"), set("new"), set("other")], {
      machine: "m2",
      from: "old",
      to: "new",
    });
    expect(sets.map(({ replicas, receives, handsOver }) => [replicas, receives, handsOver])).toEqual([
      [1, [], ["m2"]],
      [3, ["m2"], []],
      [2, [], []],
    ]);
  });
});
