/**
 * `npm run bench -- rehearse`: a change of one pool, and of every pool, in fleets of several sizes; one seed, each in a process
 * of its own.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { printTable } from "./table.ts";

const MACHINES_IN_POOL = 75;
const CASES = [
  { clusters: 40, changed: 1 },
  { clusters: 133, changed: 1 },
  { clusters: 5, changed: 5 },
  { clusters: 10, changed: 10 },
  { clusters: 20, changed: 20 },
];

interface Figures {
  readonly wallSeconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
  readonly replaced: number;
}

const rows = CASES.map(({ clusters, changed }) => {
  const script = join(import.meta.dirname, "rehearsals/one-seed.ts");
  const args = [script, ...[clusters, MACHINES_IN_POOL, changed].map(String)];
  const figures = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as Figures;
  const { wallSeconds, cpuSeconds, megabytes, replaced } = figures;
  return [
    String(clusters * MACHINES_IN_POOL),
    changed === clusters ? "every pool" : "one pool",
    String(replaced),
    wallSeconds.toFixed(1),
    cpuSeconds.toFixed(1),
    ((cpuSeconds / replaced) * 1000).toFixed(0),
    megabytes.toFixed(0),
  ];
});
printTable(["machines", "change", "replaced", "wall s", "CPU s", "CPU ms a replaced machine", "MB"], rows);
