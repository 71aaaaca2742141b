/** Rolls many pools at once, in a process of its own: `node fleet.ts POOLS MACHINES` prints one line of JSON. */
import { allDone, createPool, readyClusters, roll, STRATEGIES } from "./pool-work.ts";

/** What rolling a fleet took. */
export interface FleetFigures {
  readonly machines: number;
  readonly buildSeconds: number;
  readonly rollSeconds: number;
  readonly rollCpuSeconds: number;
  readonly rssMb: number;
  readonly virtualMinutes: number;
  readonly refusals: number;
}

// Kubernetes ends at 5,000 Nodes a cluster.
const POOLS_IN_CLUSTER = 3;

async function measure(pools: number, machines: number): Promise<FleetFigures> {
  const clusters = Array.from({ length: Math.ceil(pools / POOLS_IN_CLUSTER) }, (_, index) => `c${index}`);
  const world = await readyClusters(clusters);
  let refusals = 0;
  world.trace.onEvent(({ happening }) => {
    if (happening.kind === "arm" && happening.status === 429) refusals++;
    // Recorded requests that are no longer needed would fill the memory.
    if (happening.kind === "node") world.trace.forget();
  });
  const names = Array.from({ length: pools }, (_, index) => `p${index}`);
  const startedMs = performance.now();
  for (const [index, name] of names.entries()) {
    const cluster = clusters[Math.floor(index / POOLS_IN_CLUSTER)] ?? "";
    await createPool(world, { cluster, name, machines, strategy: STRATEGIES.Replace });
  }
  await allDone(world);
  const builtMs = performance.now();
  const cpu = process.cpuUsage();
  const virtualMs = world.scheduler.monotonicMs;
  for (const name of names) await roll(world, name);
  await allDone(world);
  const { user, system } = process.cpuUsage(cpu);
  return {
    machines: pools * machines,
    buildSeconds: (builtMs - startedMs) / 1000,
    rollSeconds: (performance.now() - builtMs) / 1000,
    rollCpuSeconds: (user + system) / 1e6,
    rssMb: process.resourceUsage().maxRSS / 1024,
    virtualMinutes: (world.scheduler.monotonicMs - virtualMs) / 60_000,
    refusals,
  };
}

const [pools = "3", machines = "1000"] = process.argv.slice(2);
console.log(JSON.stringify(await measure(Number(pools), Number(machines))));
