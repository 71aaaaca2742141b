import { expect, test } from "vitest";
import { machine, view } from "./plan.fixture.ts";
import { preflight } from "./preflight.ts";

test("a machine without a Node is named with what keeps it from becoming one", () => {
  const { nodeName: _, ...joining } = machine("m2");
  const problems = (trouble?: string): readonly string[] =>
    preflight(view([machine("m1"), trouble === undefined ? joining : { ...joining, trouble }]), {});
  expect(problems()).toEqual(["Machine m2 has no Node yet"]);
  expect(problems("VMRunning: the image does not exist")).toEqual([
    "Machine m2 has no Node: VMRunning: the image does not exist",
  ]);
});
