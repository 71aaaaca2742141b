import { describe, expect, test } from "vitest";
import { arm, at, machine, write } from "./events.fixture.ts";
import { failureReport } from "./failure-report.ts";

const INVARIANT = { name: "surge", says: "there are never more machines than replicas and maxSurge allow" };
const COMMAND = "npx capstan sim run examples/scenarios/boot-100.yaml --seed 7 --faults arm-throttled:20%";
const VIOLATION = at(200, "world", {
  kind: "violation",
  invariant: "surge",
  text: "pool has 5 machines, at most 4",
});

describe("the report of a failed run", () => {
  test("shows the violation, its time, the events before it, and how to replay it", () => {
    const before = [
      machine(1, 0, "booted"),
      write(2, "manager-1/machinepool", 409),
      arm(3, "PUT virtualMachineScaleSets", 429),
      at(4, "world", { kind: "violation", invariant: "drain", text: "another one" }),
    ];
    const after = machine(300, 1, "booted");
    expect(
      failureReport({ invariant: INVARIANT, events: [...before, VIOLATION, after], command: COMMAND }),
    ).toBe(
      `surge does not hold: there are never more machines than replicas and maxSurge allow
at step 2000, 00:03:20: pool has 5 machines, at most 4

all events until then:
  00:00:01  step 10  azure  machine 0 of pool booted
  00:00:02  step 20  manager-1/machinepool  patch machines/default/m-1/status in management: 409
  00:00:03  step 30  manager-1/azuremachinepool  PUT virtualMachineScaleSets /x/pool: 429 TooManyRequests
  00:00:04  step 40  world  drain does not hold: another one
  00:03:20  step 2000  world  surge does not hold: pool has 5 machines, at most 4

replay it with:
  ${COMMAND}
`,
    );
  });

  test("shows the last 20 events until the violation", () => {
    const many = Array.from({ length: 50 }, (_, index) => machine(index, index, "booted"));
    const report = failureReport({
      invariant: INVARIANT,
      events: [...many, VIOLATION, ...many],
      command: COMMAND,
    });
    expect(report).toContain("the last 20 of 51 events:\n");
    const shown = report.split("\n").filter((line) => line.startsWith("  00:"));
    expect([shown.length, shown[0]]).toEqual([20, "  00:00:31  step 310  azure  machine 31 of pool booted"]);
  });

  test("shows the end of a failed run without a violation event", () => {
    const report = failureReport({
      invariant: INVARIANT,
      events: [machine(1, 0, "booted")],
      command: COMMAND,
    });
    expect(report).toContain("maxSurge allow\n\nall events until then:\n  00:00:01  step 10  azure  machine");
  });
});
