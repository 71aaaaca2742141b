/**
 * The whole world in virtual time: API servers, simulated Azure, guests, pods, trace and invariants, all on. How many
 * seeds a core gets through, what a quiet day costs, and whether a fleet that boots costs the same per machine at any size.
 */
import { readScenario, runScenario, type Scenario, type ScenarioRun } from "@capstan/sim";
import { median, printTable } from "./table.ts";

function scenarioOf(text: string): Scenario {
  const reading = readScenario("bench.yaml", () => text);
  if ("problems" in reading) throw new Error(JSON.stringify(reading.problems));
  return reading.scenario;
}

interface Measured {
  readonly run: ScenarioRun;
  readonly ms: number;
}

async function measured(scenario: Scenario, seed: string): Promise<Measured> {
  const startedMs = performance.now();
  const run = await runScenario({ scenario, seed, faults: [], controllers: () => [] });
  const ms = performance.now() - startedMs;
  if (run.failure) throw new Error(`seed ${seed}: ${JSON.stringify(run.failure)}`);
  return { run, ms };
}

/** Boot, pods, a drain, a deleted machine, a machine more: a life of so many machines. */
const lifeOf = (machines: number): Scenario =>
  scenarioOf(`
limit: 6h
steps:
  - createScaleSet: { name: pool, instances: ${machines} }
  - until: { nodesReady: ${machines} }
  - deploy: { name: web, replicas: ${machines}, budget: { maxUnavailable: 1 } }
  - until: { podsRunning: ${machines} }
  - drain: { scaleSet: pool, instances: [0] }
  - machine: { scaleSet: pool, instances: [0], do: delete }
  - until: { nodes: ${machines - 1}, podsRunning: ${machines} }
  - resize: { scaleSet: pool, to: ${machines} }
  - until: { nodesReady: ${machines} }
`);

async function lives(): Promise<void> {
  const rows = [];
  for (const { machines, seeds } of [
    { machines: 12, seeds: 40 },
    { machines: 100, seeds: 12 },
  ]) {
    const scenario = lifeOf(machines);
    for (let warm = 0; warm < 3; warm++) await measured(scenario, `warm ${warm}`);
    const runs: Measured[] = [];
    for (let seed = 1; seed <= seeds; seed++) runs.push(await measured(scenario, String(seed)));
    const ms = median(runs.map((one) => one.ms));
    const steps = median(runs.map(({ run }) => run.facts.steps));
    rows.push([
      String(machines),
      (60_000 / ms).toFixed(0),
      ms.toFixed(1),
      steps.toFixed(0),
      ((1000 * steps) / ms).toFixed(0),
    ]);
  }
  printTable(["machines", "seeds a minute and core", "ms a seed", "steps a seed", "steps a second"], rows);
}

interface Boot extends Measured {
  readonly machines: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

async function boot(sets: number): Promise<Boot> {
  const machines = sets * 1000;
  const create = Array.from(
    { length: sets },
    (_, set) => `  - createScaleSet: { name: p${set}, instances: 1000 }`,
  );
  const scenario = scenarioOf(`
limit: 12h
world: { azure: { throttling: false } }
steps:
${create.join("\n")}
  - until: { nodesReady: ${machines} }
`);
  globalThis.gc?.();
  const result = await measured(scenario, "1");
  const { heapUsed, rss } = process.memoryUsage();
  return { ...result, machines, heapMb: heapUsed / 2 ** 20, rssMb: rss / 2 ** 20 };
}

async function fleets(): Promise<void> {
  const day = await measured(
    scenarioOf(`
limit: 48h
steps:
  - createScaleSet: { name: pool, instances: 100 }
  - until: { nodesReady: 100 }
  - wait: 24h
`),
    "1",
  );
  const runs = [await boot(3), await boot(30)];
  printTable(
    ["nodes that boot", "wall, s", "ms a node", "heap, MB", "RSS, MB", "steps"],
    runs.map(({ machines, ms, heapMb, rssMb, run }) => [
      String(machines),
      (ms / 1000).toFixed(1),
      (ms / machines).toFixed(2),
      heapMb.toFixed(0),
      rssMb.toFixed(0),
      String(run.facts.steps),
    ]),
  );
  const [small = 1, large = 0] = runs.map(({ ms }) => ms);
  console.log();
  printTable(
    ["", "measured", "aim"],
    [
      ["a virtual day of 100 nodes, s", (day.ms / 1000).toFixed(2), "under 2"],
      ["time of 30,000 by time of 3,000", (large / small).toFixed(1), "about 10"],
    ],
  );
}

await lives();
console.log();
await fleets();
