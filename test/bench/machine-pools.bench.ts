/**
 * What machine pools cost: requests to Azure beside CAPZ's pattern for the same work, writes to Kubernetes for each
 * machine, how close a rollout comes to what Azure's own latencies allow, and how large a fleet can be rehearsed. All in
 * virtual time, with the product's controllers and the simulated Azure's throttling on.
 *
 * `npm run bench -- machine-pools 100 1,3` takes pools of 100 machines and fleets of 1 and 3 pools.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { capzPattern, type Pattern, settledPattern } from "./machine-pools/capz-pattern.ts";
import {
  armWritesIn,
  type Chapter,
  chapterOf,
  kubeWritesIn,
  refusalsIn,
  requestsOf,
  sum,
} from "./machine-pools/chapter.ts";
import { budgetFloorMinutes, inPlacePathMs, replacePathMs } from "./machine-pools/critical-path.ts";
import type { FleetFigures } from "./machine-pools/fleet.ts";
import { Goals } from "./machine-pools/goals.ts";
import { creationsIn, updatesIn } from "./machine-pools/latencies.ts";
import {
  allDone,
  createPool,
  HOUR_MS,
  readyClusters,
  roll,
  scale,
  STRATEGIES,
} from "./machine-pools/pool-work.ts";
import { printTable } from "./table.ts";

const MINUTE_MS = 60_000;
const POOL = { cluster: "demo", name: "mp" };
const [, machinesText = "1000", fleetsText = "3,30"] = process.argv.slice(2);
const machines = Number(machinesText);
const tenth = Math.ceil(machines / 10);
const goals = new Goals();

/** The life of a pool that is replaced, and the beginning of one that is updated in place. */
interface Lives {
  readonly create: Chapter;
  readonly replace: Chapter;
  readonly settled: Chapter;
  readonly shrink: Chapter;
  readonly inPlace: Chapter;
}

async function live(): Promise<Lives> {
  const world = await readyClusters([POOL.cluster]);
  const create = await chapterOf(world, async () => {
    await createPool(world, { ...POOL, machines, strategy: STRATEGIES.Replace });
    await allDone(world);
  });
  const replace = await chapterOf(world, async () => {
    await roll(world, POOL.name);
    await allDone(world);
  });
  // Late reports about the last machines do not count as work of a settled pool.
  await world.advance(30 * MINUTE_MS);
  const settled = await chapterOf(world, () => world.advance(HOUR_MS));
  const shrink = await chapterOf(world, async () => {
    await scale(world, POOL.name, Math.floor(machines / 2));
    await allDone(world);
  });
  const other = await readyClusters([POOL.cluster]);
  await createPool(other, { ...POOL, machines, strategy: STRATEGIES.InPlace });
  await allDone(other);
  const inPlace = await chapterOf(other, async () => {
    await roll(other, POOL.name);
    await allDone(other);
  });
  return { create, replace, settled, shrink, inPlace };
}

interface Row {
  readonly work: string;
  readonly chapter: Chapter;
  readonly pattern: Pattern;
  readonly atLeast?: number;
}

function rowsOf({ create, replace, settled, shrink, inPlace }: Lives): readonly Row[] {
  const half = Math.floor(machines / 2);
  const asReplaced = capzPattern({ chapter: replace, machines, deleted: machines, puts: 10 });
  return [
    {
      work: `create ${machines}`,
      chapter: create,
      pattern: capzPattern({ chapter: create, machines, deleted: 0, puts: 1 }),
      atLeast: 20,
    },
    { work: `roll ${machines} by Replace`, chapter: replace, pattern: asReplaced, atLeast: 20 },
    // CAPZ cannot update in place (capz.md 0): for the same change it replaces.
    { work: `roll ${machines} InPlace`, chapter: inPlace, pattern: asReplaced },
    {
      work: `scale to ${half}`,
      chapter: shrink,
      pattern: capzPattern({ chapter: shrink, machines: (machines + half) / 2, deleted: half, puts: 0 }),
    },
    { work: "a settled hour", chapter: settled, pattern: settledPattern(machines, HOUR_MS), atLeast: 20 },
  ];
}

const KINDS: Readonly<Record<string, RegExp>> = {
  "PUT set": /^PUT virtualMachineScaleSets$/,
  "GET set": /^GET virtualMachineScaleSets$/,
  "LIST instances, pages": /^LIST virtualMachineScaleSets\/virtualMachines$/,
  "POST on instances": /^POST /,
  polls: /operations$/,
  others:
    /^(?!PUT virtualMachineScaleSets$|GET virtualMachineScaleSets$|LIST virtualMachineScaleSets\/virtualMachines$|POST |.*operations$)/,
};

function printRequests(rows: readonly Row[]): void {
  const cells = rows.map(({ work, chapter, pattern, atLeast }) => {
    const counts = requestsOf(chapter);
    const ours = sum(counts.values());
    const theirs = sum(Object.values(pattern));
    const ratio = theirs / ours;
    if (atLeast !== undefined)
      goals.atLeast(`${work}, times fewer requests than the model of CAPZ`, ratio, atLeast);
    goals.atMost(`${work}, 429s`, refusalsIn(chapter), 0);
    const byKind = Object.values(KINDS).map((kind) =>
      String(sum([...counts].filter(([name]) => kind.test(name)).map(([, count]) => count))),
    );
    return [work, ...byKind, String(ours), theirs.toFixed(0), ratio.toFixed(0), String(refusalsIn(chapter))];
  });
  printTable(
    ["requests to Azure", ...Object.keys(KINDS), "all", "model of CAPZ", "model, times fewer", "429s"],
    cells,
  );
  console.log();
  const terms = [...new Set(rows.flatMap(({ pattern }) => Object.keys(pattern)))];
  printTable(
    ["model of CAPZ", ...terms],
    rows.map(({ work, pattern }) => [work, ...terms.map((term) => (pattern[term] ?? 0).toFixed(0))]),
  );
}

function printWrites({ create, replace, inPlace, settled }: Lives): void {
  const each = (chapter: Chapter): number => kubeWritesIn(chapter) / machines;
  goals.atMost("kube writes for each new machine", each(create), 8);
  goals.atMost("kube writes for each machine replaced", each(replace), 10);
  goals.atMost("kube writes for each machine updated in place", each(inPlace), 10);
  const settledWrites = kubeWritesIn(settled) + armWritesIn(settled);
  goals.atMost("writes in a settled hour", settledWrites, 0);
  printTable(
    ["writes to Kubernetes", "measured", "goal"],
    [
      ["from nothing to Ready, each machine", each(create).toFixed(2), "at most 8"],
      ["replaced, each machine", each(replace).toFixed(2), "at most 10"],
      ["updated in place, each machine", each(inPlace).toFixed(2), "at most 10"],
      ["in a settled hour, to Azure too", String(settledWrites), "0"],
    ],
  );
}

function printDurations({ replace, inPlace }: Lives): void {
  const paths = {
    Replace: {
      chapter: replace,
      pathMs: replacePathMs(creationsIn(replace.events), tenth),
      touched: 2 * machines,
    },
    InPlace: {
      chapter: inPlace,
      pathMs: inPlacePathMs(updatesIn(inPlace.events), tenth),
      touched: machines,
    },
  };
  const rows = Object.entries(paths).map(([name, { chapter, pathMs, touched }]) => {
    const ratio = chapter.durationMs / pathMs;
    goals.atMost(`duration of ${name} by its critical path`, ratio, 1.25);
    return [
      name,
      (chapter.durationMs / MINUTE_MS).toFixed(1),
      (pathMs / MINUTE_MS).toFixed(1),
      ratio.toFixed(2),
      budgetFloorMinutes(touched).toFixed(1),
    ];
  });
  printTable(
    [
      "rollout",
      "virtual minutes",
      "critical path, minutes",
      "ratio (at most 1.25)",
      "floor of the ARM budget, minutes",
    ],
    rows,
  );
  console.log();
  const compared: readonly (readonly [string, (chapter: Chapter) => number])[] = [
    ["virtual minutes", ({ durationMs }) => durationMs / MINUTE_MS],
    ["requests to Azure", (chapter) => sum(requestsOf(chapter).values())],
    ["writes to Kubernetes, each machine", (chapter) => kubeWritesIn(chapter) / machines],
  ];
  printTable(
    ["same pool, same change", "Replace", "InPlace", "InPlace by Replace"],
    compared.map(([what, figure]) => {
      const [a, b] = [figure(replace), figure(inPlace)];
      return [what, a.toFixed(1), b.toFixed(1), (b / a).toFixed(2)];
    }),
  );
}

/** A fleet in a separate process, so that the memory of other runs does not count. */
async function fleetOf(pools: number): Promise<FleetFigures> {
  const script = join(import.meta.dirname, "machine-pools", "fleet.ts");
  // Without a limit, garbage stays as long as the machine has memory. Nearly everything that a step allocates is garbage
  // at its end, and with a large young generation it is never moved.
  const flags = ["--max-old-space-size=1800", "--max-semi-space-size=64"];
  const child = spawn(process.execPath, [...flags, script, String(pools), String(machines)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit") as Promise<[number]>]);
  if (code !== 0) throw new Error(`the fleet of ${pools} pools ended with ${code}`);
  return JSON.parse(output) as FleetFigures;
}

async function printFleets(): Promise<void> {
  const fleets: FleetFigures[] = [];
  for (const pools of fleetsText.split(",").map(Number)) fleets.push(await fleetOf(pools));
  printTable(
    [
      "machines",
      "built, s",
      "rolled, s",
      "of it CPU, s",
      "ms a machine",
      "RSS, MB",
      "virtual minutes",
      "floor of the ARM budget",
      "429s",
    ],
    fleets.map((one) => [
      String(one.machines),
      one.buildSeconds.toFixed(0),
      one.rollSeconds.toFixed(0),
      one.rollCpuSeconds.toFixed(0),
      ((1000 * one.rollSeconds) / one.machines).toFixed(1),
      one.rssMb.toFixed(0),
      one.virtualMinutes.toFixed(0),
      budgetFloorMinutes(2 * one.machines).toFixed(0),
      String(one.refusals),
    ]),
  );
  const [first, last] = [fleets[0], fleets.at(-1)];
  if (!first || !last) return;
  goals.atMost(`${last.machines} machines rolled, s`, last.rollSeconds, 300);
  goals.atMost(`${last.machines} machines, MB`, last.rssMb, 2048);
  goals.atMost(`${last.machines} machines, 429s`, last.refusals, 0);
  const growth = last.rollSeconds / last.machines / (first.rollSeconds / first.machines);
  console.log();
  console.log(`Time for a machine: ${growth.toFixed(2)} times that in the smallest fleet.`);
  goals.atMost("growth of the time for a machine", growth, 1.2);
}

const lives = await live();
printRequests(rowsOf(lives));
console.log();
printWrites(lives);
console.log();
printDurations(lives);
console.log();
await printFleets();
goals.conclude();
