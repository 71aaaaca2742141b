import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planUpdate, type UpdaterAnswer, type UpdatePlan } from "./plan.ts";

const PATHS = [
  "machine.spec.version",
  "bootstrap.spec.files",
  "infraMachine.spec.image",
  "infraMachine.spec.size",
];

/** Asks until the plan is complete; each updater accepts what it can of what it is asked. */
function complete(
  changes: readonly string[],
  updaters: readonly (readonly [name: string, can: readonly string[]])[],
): Exclude<UpdatePlan, { state: "ask" }> {
  const answers = new Map<string, UpdaterAnswer>();
  const known = updaters.map(([name]) => ({ name }));
  for (;;) {
    const plan = planUpdate({ changes, updaters: known, answers });
    if (plan.state !== "ask") return plan;
    expect(answers.has(plan.updater), "no updater is asked twice").toBe(false);
    const can = updaters.find(([name]) => name === plan.updater)?.[1] ?? [];
    answers.set(plan.updater, { accepted: can });
  }
}

describe("a plan", () => {
  test("subtracts what each updater accepts, and does not ask the rest", () => {
    const plan = complete(PATHS.slice(0, 2), [
      ["memory", []],
      ["version", ["machine.spec.version"]],
      ["files", ["bootstrap.spec.files"]],
      ["unused", PATHS],
    ]);
    expect(plan).toEqual({
      state: "covered",
      steps: [
        { name: "version", changes: ["machine.spec.version"] },
        { name: "files", changes: ["bootstrap.spec.files"] },
      ],
      why: "version changes machine.spec.version; files changes bootstrap.spec.files",
    });
  });

  test("keeps that a machine is drained before, and that it stays available", () => {
    const changes = ["machine.spec.version"];
    const planned = (answer: object) =>
      planUpdate({
        changes,
        updaters: [{ name: "u" }],
        answers: new Map([["u", { accepted: changes, ...answer }]]),
      });
    expect(planned({ needsDrain: true, affectsAvailability: false })).toMatchObject({
      steps: [{ name: "u", changes, needsDrain: true, affectsAvailability: false }],
    });
    expect(planned({ needsDrain: false, affectsAvailability: true })).toMatchObject({
      state: "covered",
      steps: [{ name: "u", changes }],
    });
    expect(JSON.stringify(planned({ affectsAvailability: true }))).not.toContain("affectsAvailability");
  });

  test("names the changes that no updater makes, and who was asked", () => {
    expect(complete(PATHS.slice(2), [["images", ["infraMachine.spec.image"]]])).toMatchObject({
      state: "uncovered",
      uncovered: ["infraMachine.spec.size"],
      why: "no updater changes infraMachine.spec.size (asked: images)",
    });
    expect(complete(PATHS.slice(3), [])).toMatchObject({
      why: "no updater changes infraMachine.spec.size (no updater is registered)",
    });
  });

  test("is unknown while an updater before the end does not answer, and covered if it need not be asked", () => {
    const updaters = [{ name: "a" }, { name: "b" }];
    const a = { accepted: ["machine.spec.version"] };
    const b = { failed: "did not answer within 10 s" };
    const answers = new Map<string, UpdaterAnswer>([
      ["a", a],
      ["b", b],
    ]);
    expect(planUpdate({ changes: PATHS, updaters, answers })).toEqual({
      state: "unknown",
      why: "updater b: did not answer within 10 s",
    });
    expect(planUpdate({ changes: PATHS.slice(0, 1), updaters, answers }).state).toBe("covered");
  });

  test("goes on without an updater whose failures are ignored", () => {
    const answers = new Map<string, UpdaterAnswer>([["a", { ignored: "refused" }]]);
    expect(planUpdate({ changes: PATHS, updaters: [{ name: "a" }], answers })).toMatchObject({
      state: "uncovered",
      uncovered: PATHS,
    });
  });

  const paths = fc.uniqueArray(fc.constantFrom(...PATHS, "infraMachine.spec.notAsked"));
  const registry = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c", "d"), paths), {
    selector: ([name]) => name,
  });

  test("covers the same changes in any order of the updaters, each change by one updater", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...PATHS)),
        registry,
        fc.nat(),
        (changes, updaters, shift) => {
          const at = updaters.length === 0 ? 0 : shift % updaters.length;
          const rotated = [...updaters.slice(at), ...updaters.slice(0, at)].toReversed();
          const [one, other] = [complete(changes, updaters), complete(changes, rotated)];
          expect(uncoveredIn(one)).toEqual(uncoveredIn(other));
          const made = "steps" in one ? one.steps.flatMap((step) => step.changes) : [];
          expect(new Set(made).size).toBe(made.length);
          expect([...made, ...uncoveredIn(one)].toSorted()).toEqual(changes.toSorted());
        },
      ),
    );
  });
});

function uncoveredIn(plan: UpdatePlan): readonly string[] {
  return plan.state === "uncovered" ? plan.uncovered.toSorted() : [];
}
