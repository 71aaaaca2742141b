import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FAULT_CATALOGUE, FAULT_IDS, STRIKES } from "./fault-catalogue.ts";
import { faultsOf, readFaultPlan } from "./fault-plan.ts";
import { readFault } from "./fault-text.ts";
import { formatProblem } from "./problem.ts";

/** The trigger of a fault, or what is wrong with its text. */
function when(text: string): unknown {
  const reading = readFault(text);
  return "fault" in reading ? reading.fault.when : reading.message;
}

describe("the text of a fault", () => {
  test.each([
    ["arm-throttled", { trigger: { probability: 0.05 } }],
    ["arm-throttled:20%", { trigger: { probability: 0.2 } }],
    ["arm-throttled: 100%", { trigger: { probability: 1 } }],
    ["arm-throttled:0.5% GET", { trigger: { probability: 0.005, verb: "GET" } }],
    [
      "arm-throttled:call virtualMachineScaleSets",
      { trigger: { probability: 0.05, resource: "virtualMachineScaleSets" } },
    ],
    ["arm-throttled:3 times", { trigger: { probability: 0.05, times: 3 } }],
    ["crash-after-write:3rd-write", { trigger: { nth: 3 } }],
    ["crash-after-write:3rd write by manager-1", { trigger: { nth: 3, by: "manager-1" } }],
    [
      "crash-after-write:2nd PUT virtualMachineScaleSets by azuremachinepool",
      { trigger: { nth: 2, verb: "PUT", resource: "virtualMachineScaleSets", by: "azuremachinepool" } },
    ],
    [
      "crash-after-write:2nd-PUT-virtualMachineScaleSets-by-azuremachinepool",
      { trigger: { nth: 2, verb: "PUT", resource: "virtualMachineScaleSets", by: "azuremachinepool" } },
    ],
    [
      "watch-drop:50% event machines by machine 2 times",
      { trigger: { probability: 0.5, resource: "machines", by: "machine", times: 2 } },
    ],
    ["operation-lost:1st poll", { trigger: { nth: 1 } }],
    ["spot-eviction", { moments: { everyMs: 600_000 } }],
    ["spot-eviction:every 5m 3 times", { moments: { everyMs: 300_000, times: 3 } }],
    ["spot-eviction:after-90s", { moments: { afterMs: 90_000 } }],
    ["spot-eviction:2 times", { moments: { everyMs: 600_000, times: 2 } }],
  ])("%s", (text, expected) => {
    expect(when(text)).toEqual(expected);
  });

  test.each([
    ["arm-throttled:0%", '"0%" is not a share; expected one above 0% and up to 100%, such as 20%'],
    ["arm-throttled:0 times", '"0 times" is not a number of times; expected one such as 3 times'],
    [
      "arm-throttled:0th",
      '"0th" is nothing that arm-throttled strikes; expected [Nth | N%] [CALL [RESOURCE]] [by CONTROLLER] [N times], such as 3rd write or 20%',
    ],
    ["arm-throttled:PIT", '"PIT" is nothing that arm-throttled strikes; did you mean PUT?'],
    ["spot-eviction:every", 'nothing follows "every"'],
    ["spot-eviction:every 5", '"5" is not a duration above 0; expected one such as 90s, 10m or 1h30m'],
    ["Spot-Eviction", "unknown fault; did you mean spot-eviction?"],
  ])("refuses %s and says what is valid", (text, message) => {
    expect(when(text)).toBe(message);
  });

  test("is parsed or refused, for any input", () => {
    const words = [
      ...FAULT_IDS,
      ...Object.values(STRIKES).flat(),
      ":",
      " ",
      "-",
      "1st",
      "%",
      "by",
      "times",
      "every",
    ];
    const texts = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const reading = readFault(text);
        expect("fault" in reading ? reading.fault.text : reading.message).not.toBe(undefined);
      }),
    );
  });
});

describe("the catalogue", () => {
  test("has a share for each fault of calls, and an interval for each fault of moments", () => {
    for (const id of FAULT_IDS) {
      const { strikes, rate } = FAULT_CATALOGUE[id];
      expect([id, "everyMs" in rate]).toEqual([id, strikes === "moments"]);
    }
  });

  test("covers the whole reference but for the missing entries", () => {
    // Upgrades in the middle of a rollout, deleted namespaces, extensions, and a monotonic clock that drifts from the wall
    // clock.
    const open = ["C7", "A11", "E1", "E2", "E3", "T2"];
    const numbered = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    const reference = [
      ...numbered("C", 7),
      ...numbered("A", 11),
      ...numbered("Z", 10),
      ...numbered("N", 2),
      ...numbered("E", 3),
      ...numbered("T", 2),
      ...numbered("U", 1),
    ];
    const covered = new Set(FAULT_IDS.flatMap((id) => FAULT_CATALOGUE[id].covers));
    expect(reference.filter((one) => !covered.has(one))).toEqual(
      open.toSorted((a, b) => reference.indexOf(a) - reference.indexOf(b)),
    );
    expect([...covered].filter((one) => !reference.includes(one))).toEqual([]);
  });
});

describe("--faults", () => {
  test("takes none, swarm, or a comma-separated list of faults", () => {
    expect(readFaultPlan("none")).toEqual({ plan: [] });
    expect(readFaultPlan("swarm")).toEqual({ plan: "swarm" });
    expect(readFaultPlan("stall:1st-write, watch-delay")).toMatchObject({
      plan: [{ fault: "stall" }, { fault: "watch-delay" }],
    });
  });

  test("knows that swarm was meant", () => {
    const reading = readFaultPlan("swrm");
    expect("problems" in reading && reading.problems.map(formatProblem)).toEqual([
      '--faults:1:1: "swrm": unknown fault; did you mean swarm?',
    ]);
  });

  test("reports the position of a problem", () => {
    const reading = readFaultPlan("stall,arm-429:20%,,watch-dely");
    expect("problems" in reading && reading.problems.map(formatProblem)).toEqual([
      expect.stringMatching(/^--faults:1:7: "arm-429:20%": unknown fault; expected one of /) as string,
      expect.stringMatching(/^--faults:1:19: "": unknown fault; /) as string,
      '--faults:1:20: "watch-dely": unknown fault; did you mean watch-delay?',
    ]);
  });

  test("of a swarm depend on the seed: none or one for some seeds, and each fault for some", () => {
    const sizes = Array.from({ length: 300 }, (_, seed) => faultsOf("swarm", String(seed)));
    expect(faultsOf("swarm", "7")).toEqual(faultsOf("swarm", "7"));
    const without = sizes.filter((faults) => faults.length === 0).length;
    const single = sizes.filter((faults) => faults.length === 1).length;
    expect([without > 60 && without < 120, single > 10 && single < 60]).toEqual([true, true]);
    const struck = new Set(sizes.flat().map(({ fault }) => fault));
    expect(struck.size).toBe(FAULT_IDS.length);
    expect(Math.max(...sizes.map((faults) => faults.length))).toBeGreaterThan(FAULT_IDS.length - 5);
  });
});
