/**
 * Clusters by the hundred, in virtual time against the simulated Azure with its throttling on: what one costs in
 * requests to Azure and in writes to Kubernetes, and that a settled fleet costs no write at all. Then a hundred of them in
 * real time on a real kube-apiserver, with the simulated Azure over HTTP at sixty times its speed.
 */
import { AzureCluster } from "@capstan/api";
import { simulatedControllers } from "@capstan/cli";
import { createWorld, type TraceEvent } from "@capstan/sim";
import { createCluster, createIdentity } from "./cluster-objects.ts";
import { realClusters } from "./real-clusters.ts";
import { printTable } from "./table.ts";

const HOUR_MS = 3_600_000;
const isArm = ({ happening }: TraceEvent): boolean => happening.kind === "arm";
const isRefused = ({ happening }: TraceEvent): boolean =>
  happening.kind === "arm" && happening.status === 429;
const isOurWrite = ({ actor, happening }: TraceEvent): boolean =>
  happening.kind === "write" &&
  actor.startsWith("manager") &&
  happening.resource !== "events" &&
  happening.resource !== "leases";
const count = (events: readonly TraceEvent[], fits: (event: TraceEvent) => boolean): number =>
  events.filter(fits).length;

async function fleet(clusters: number): Promise<string[]> {
  globalThis.gc?.();
  const startedMs = performance.now();
  const world = await createWorld({ seed: "1", controllers: simulatedControllers });
  world.start();
  await world.run(createIdentity(world.user));
  for (let number = 0; number < clusters; number++) await world.run(createCluster(world.user, `c${number}`));
  const ready = { resource: `${AzureCluster.group}/${AzureCluster.plural}` };
  const allReady = (): boolean =>
    [...world.management.storage.list(ready)].every(
      (object) => (object as unknown as AzureCluster).status?.ready === true,
    );
  while (!(await world.until(() => false, 60_000)) && !allReady()) {
    if (world.scheduler.monotonicMs > 24 * HOUR_MS)
      throw new Error("not all clusters became ready within a day");
  }
  const builtMs = world.scheduler.monotonicMs;
  await world.advance(HOUR_MS);
  const before = world.trace.events.length;
  await world.advance(HOUR_MS);
  const built = world.trace.events.slice(0, before);
  const settled = world.trace.events.slice(before);
  const { rss } = process.memoryUsage();
  return [
    String(clusters),
    (count(built, isArm) / clusters).toFixed(1),
    (count(built, isOurWrite) / clusters).toFixed(1),
    String(count(world.trace.events, isRefused)),
    String(count(settled, isOurWrite)),
    (count(settled, isArm) / clusters).toFixed(2),
    (builtMs / 60_000).toFixed(0),
    ((performance.now() - startedMs) / 1000).toFixed(1),
    (rss / 2 ** 20).toFixed(0),
  ];
}

/** `npm run bench -- clusters 20` tries it with fewer. */
async function rowsOf(): Promise<string[][]> {
  const [, given] = process.argv.slice(2);
  const sizes = given === undefined ? [100, 1000] : [Number(given)];
  const rows = [];
  for (const size of sizes) rows.push(await fleet(size));
  return rows;
}

printTable(
  [
    "clusters",
    "ARM requests each",
    "kube writes each",
    "429s",
    "writes in a settled hour",
    "ARM reads each in it",
    "virtual minutes until all are ready",
    "wall, s",
    "RSS, MB",
  ],
  await rowsOf(),
);

if (process.argv[3] === undefined) {
  console.log();
  await realClusters(100);
}
