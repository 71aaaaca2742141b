/**
 * The simulated Azure: what a call costs beside a handler that does nothing, what a fleet costs in virtual time,
 * and whether that grows with the fleet. Journal, throttling and disks are on, as they always are.
 */
import { type Ways, waysToRead } from "./azure-calls.ts";
import { type FleetRun, runDay, runFleet } from "./azure-fleet.ts";
import { median, printTable } from "./table.ts";

const ROUNDS = 5;
const READS = 2000;

async function callsPerSecond(read: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  for (let index = 0; index < READS; index++) await read();
  return (1000 * READS) / (performance.now() - startedMs);
}

async function calls(): Promise<void> {
  const { simulator, bound } = await waysToRead();
  const names: Readonly<Record<keyof Ways, string>> = {
    bare: "bare handler",
    sdk: "@azure/arm-compute",
    client: "our client",
  };
  const rows = [];
  for (const way of Object.keys(names) as (keyof Ways)[]) {
    const [ours, least]: [number[], number[]] = [[], []];
    // Rounds take turns, so that noise hits both; the first ones of each only warm up.
    for (let round = -1; round < ROUNDS; round++) {
      const [fast, slow] = [await callsPerSecond(bound[way]), await callsPerSecond(simulator[way])];
      if (round >= 0) [least[round], ours[round]] = [fast, slow];
    }
    const [simulated, minimal] = [median(ours), median(least)];
    rows.push([
      names[way],
      simulated.toFixed(0),
      minimal.toFixed(0),
      (simulated / minimal).toFixed(2),
      (1e6 / simulated - 1e6 / minimal).toFixed(1),
    ]);
  }
  printTable(
    [
      "reads of a scale set in-process",
      "simulator, calls/s",
      "minimal handler, calls/s",
      "ratio",
      "µs a call",
    ],
    rows,
  );
}

async function fleets(): Promise<void> {
  const sizes = [
    { sets: 3, perSet: 1000, batch: 100 },
    { sets: 30, perSet: 1000, batch: 100 },
  ];
  // The first run only warms up.
  await runFleet({ sets: 1, perSet: 1000, batch: 100 });
  const runs: FleetRun[] = [];
  for (const size of sizes) runs.push(await runFleet(size));
  printTable(
    ["scale sets of 1,000", "create, s", "roll, s", "heap, MB", "requests", "429s", "virtual hours"],
    runs.map((run, index) => [
      String(sizes[index]?.sets),
      (run.createMs / 1000).toFixed(2),
      (run.rollMs / 1000).toFixed(2),
      run.heapMb.toFixed(0),
      String(run.requests),
      String(run.throttled),
      run.virtualHours.toFixed(1),
    ]),
  );
  const [small = 0, large = 0] = runs.map(({ createMs, rollMs }) => createMs + rollMs);
  console.log();
  printTable(
    ["", "measured", "aim"],
    [
      ["30,000 instances created and rolled, s", (large / 1000).toFixed(1), "under 15"],
      ["time of 30,000 by time of 3,000", (large / small).toFixed(1), "about 10"],
      ["a virtual day with a poll a minute, ms", (await runDay()).toFixed(0), "under 1000"],
    ],
  );
}

await calls();
console.log();
await fleets();
