import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { simulatedControllers } from "@capstan/cli";
import { readScenario, runScenario, type Scenario, type ScenarioRun, summaryOf } from "@capstan/sim";
import { describe, expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../examples/scenarios");

function scenarioIn(name: string): Scenario {
  const reading = readScenario(join(FOLDER, name), (path) => readFileSync(path, "utf8"));
  if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.scenario;
}

async function run(name: string, seed: string, faults?: ScenarioOptions["faults"]): Promise<ScenarioRun> {
  const scenario = scenarioIn(name);
  return runScenario({
    scenario,
    seed,
    faults: faults ?? scenario.faults,
    controllers: simulatedControllers,
  });
}
type ScenarioOptions = Parameters<typeof runScenario>[0];

describe("each example", () => {
  test.each(readdirSync(FOLDER).filter((name) => name.endsWith(".yaml")))(
    "%s goes as it says",
    async (name) => {
      const { failure, events } = await run(name, scenarioIn(name).seed);
      expect(failure, JSON.stringify(events.slice(-3))).toBeUndefined();
    },
  );
});

describe("a run", () => {
  test("is the same with the same seed, and another with another", async () => {
    const [first, again, other] = [
      await run("scale-up-and-down.yaml", "7"),
      await run("scale-up-and-down.yaml", "7"),
      await run("scale-up-and-down.yaml", "8"),
    ];
    expect(again.facts).toEqual(first.facts);
    expect(other.facts.traceHash).not.toBe(first.facts.traceHash);
  });

  test("that fails is reported, and fails the same way again", async () => {
    const gone = { fault: "instance-deleted", text: "", when: { moments: { everyMs: 60_000 } } } as const;
    const first = await run("boot-100.yaml", "7", [gone]);
    const again = await run("boot-100.yaml", "7", [gone]);
    expect(first.failure?.name).toBe("steps-succeed");
    expect(again.failure).toEqual(first.failure);
    expect(again.facts.traceHash).toBe(first.facts.traceHash);
  });

  test("is summed up so that the numbers add up", async () => {
    const { events, facts } = await run("drain-with-budget.yaml", "3");
    const { armCalls, kubeWrites } = summaryOf(events, facts);
    const of = (kind: string): number => events.filter(({ happening }) => happening.kind === kind).length;
    const sum = ({ by }: { by: readonly { count: number }[] }): number =>
      by.reduce((total, { count }) => total + count, 0);
    expect([armCalls.count, sum(armCalls), of("arm")]).toEqual(Array(3).fill(facts.journal.requests));
    expect([kubeWrites.count, sum(kubeWrites)]).toEqual([of("write"), of("write")]);
  });
});
