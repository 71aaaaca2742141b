import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arm, at, write } from "./events.fixture.ts";
import { type RunFacts, summaryOf } from "./summary.ts";
import { summaryText } from "./summary-text.ts";

const FACTS: RunFacts = {
  scenario: "boot-100",
  seed: "7",
  traceHash: "c0ffee",
  journal: { requests: 3, hash: "beef" },
  virtualMs: 754_321,
  steps: 4012,
  armed: ["arm-throttled", "vm-reboots"],
  pools: [{ name: "pool", lowest: { available: 98, of: 100, atMs: 192_000 } }, { name: "spot" }],
};

const EVENTS = [
  arm(1, "PUT virtualMachineScaleSets", 201),
  arm(2, "GET virtualMachineScaleSets"),
  arm(3, "GET virtualMachineScaleSets", 429),
  write(4, "manager-1/machinepool"),
  write(5, "manager-2/machinepool", 409),
  write(6, "user", 201),
  at(7, "world", { kind: "fault", fault: "arm-throttled", text: "GET" }),
];

describe("a summary", () => {
  test("counts requests by operation and writes by controller, with refused ones counted separately", () => {
    const { armed: _, ...facts } = FACTS;
    expect(summaryOf(EVENTS, FACTS)).toEqual({
      ...facts,
      armCalls: {
        count: 3,
        refused: 1,
        by: [
          { name: "GET virtualMachineScaleSets", count: 2, refused: 1 },
          { name: "PUT virtualMachineScaleSets", count: 1, refused: 0 },
        ],
      },
      kubeWrites: {
        count: 3,
        refused: 1,
        by: [
          { name: "machinepool", count: 2, refused: 1 },
          { name: "user", count: 1, refused: 0 },
        ],
      },
      faults: {
        count: 1,
        by: [
          { name: "arm-throttled", count: 1 },
          { name: "vm-reboots", count: 0 },
        ],
      },
      violations: 0,
    });
  });

  test("is a page of aligned tables", () => {
    expect(summaryText(summaryOf(EVENTS, FACTS))).toBe(`scenario       boot-100
virtual time   12m34s
steps          4012
seed           7
trace          c0ffee
journal        3 requests, beef
violations     0

POOL   LOWEST AVAILABLE   OF    AT
pool   98                 100   00:03:12
spot   -                  -     never complete

ARM CALLS                     COUNT   REFUSED
GET virtualMachineScaleSets       2         1
PUT virtualMachineScaleSets       1         0
all                               3         1

KUBE WRITES   COUNT   REFUSED
machinepool       2         1
user              1         0
all               3         1

FAULTS          TIMES
arm-throttled       1
vm-reboots          0
all                 1
`);
  });

  test("leaves out empty tables", () => {
    const text = summaryText(summaryOf([], { ...FACTS, pools: [], armed: [] }));
    expect(text).toMatch(/^scenario[^]*violations {5}0\n$/);
  });

  test("has totals that add up, for any events", () => {
    const operation = fc.constantFrom("GET a", "PUT a", "POST b/c", "__proto__");
    const answers = fc.tuple(operation, fc.constantFrom(200, 201, 404, 429, 503), fc.boolean());
    fc.assert(
      fc.property(fc.array(answers), (list) => {
        const events = list.map(([name, status, isArm]) =>
          isArm ? arm(1, name, status) : write(1, name, status),
        );
        const { armCalls, kubeWrites } = summaryOf(events, FACTS);
        for (const [tallies, kind] of [
          [armCalls, "arm"],
          [kubeWrites, "write"],
        ] as const) {
          const count = events.filter(({ happening }) => happening.kind === kind).length;
          expect(tallies.count).toBe(count);
          expect(tallies.by.reduce((sum, one) => sum + one.count, 0)).toBe(count);
          expect(tallies.by.reduce((sum, one) => sum + one.refused, 0)).toBe(tallies.refused);
        }
      }),
    );
  });
});
