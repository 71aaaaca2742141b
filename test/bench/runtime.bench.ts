/**
 * The informer cache beside @kubernetes/client-node's untyped informer, the work queue at different lengths,
 * and virtual time. Reader and server are separate processes; rounds are interleaved, so that noise hits both.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { MachineSet } from "@capstan/api";
import { createRealEnv } from "@capstan/env";
import { WorkQueue } from "@capstan/runtime";
import { createProofWorld, machineSet } from "../world/proof/proof-world.ts";
import { type FleetServer, startFleetServer } from "./fleet.ts";
import type { Reading } from "./informer-reader.ts";
import { median, printTable } from "./table.ts";

const ROUNDS = 5;

function read(reader: "capstan" | "client-node", server: FleetServer): Reading {
  const script = join(import.meta.dirname, "informer-reader.ts");
  const output = execFileSync(process.execPath, ["--expose-gc", script, reader, server.url], {
    encoding: "utf8",
    maxBuffer: 1e8,
  });
  return JSON.parse(output.trim().split("\n").at(-1) ?? "{}") as Reading;
}

async function informers(): Promise<void> {
  const server = await startFleetServer();
  const readings: Record<"capstan" | "client-node", Reading[]> = { capstan: [], "client-node": [] };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const reader of ["capstan", "client-node"] as const) {
        readings[reader].push(read(reader, server));
        console.log(`round ${round + 1} ${reader}: ${JSON.stringify(readings[reader].at(-1))}`);
      }
    }
  } finally {
    server.stop();
  }
  const row = (name: string, pick: (reading: Reading) => number, bound: string): string[] => {
    const [ours, theirs] = [median(readings.capstan.map(pick)), median(readings["client-node"].map(pick))];
    return [name, ours.toFixed(1), theirs.toFixed(1), (ours / theirs).toFixed(2), bound];
  };
  printTable(
    ["30,000 Machines of 3 KB", "capstan", "client-node", "ratio", "bound"],
    [
      row("list, ms", ({ listMs }) => listMs, "at most 1.5"),
      row("heap per object, KB", ({ heapPerObjectKb }) => heapPerObjectKb, "at most 1.1"),
      row("watch events/s, wall", ({ eventsPerSecond }) => eventsPerSecond, "at least 0.8"),
      row(
        "watch events per CPU second of the reader",
        ({ eventsPerCpuSecond }) => eventsPerCpuSecond,
        "at least 0.8",
      ),
    ],
  );
}

/** A million adds over 30,000 keys, with the queue at a given length: the cost of one must not grow with it. */
function queueCost(length: number): number {
  const adds = 1_000_000;
  const keys = Array.from({ length: 30_000 }, (_, index) => `default/machine-${index}`);
  const queue = new WorkQueue({ env: createRealEnv(), name: "bench" });
  for (const key of keys.slice(0, length)) queue.add(key);
  const startedMs = performance.now();
  for (let index = 0; index < adds; index++) queue.add(keys[index % keys.length] ?? "");
  return ((performance.now() - startedMs) * 1e6) / adds;
}

function queues(): void {
  const lengths = [0, 100, 3_000, 30_000];
  const costs = lengths.map((length) => median(Array.from({ length: ROUNDS }, () => queueCost(length))));
  printTable(
    ["1,000,000 adds, queue length", "ns per add", "ratio to the first"],
    lengths.map((length, index) => [
      String(length),
      costs[index]?.toFixed(0) ?? "",
      ((costs[index] ?? 0) / (costs[0] ?? 1)).toFixed(2),
    ]),
  );
}

async function virtualRun(seed: string): Promise<{ hash: string; stepsPerSecond: number; steps: number }> {
  const hash = createHash("sha256");
  const { world } = createProofWorld({ seed, onStep: (atMs, label) => hash.update(`${atMs} ${label}\n`) });
  for (let index = 0; index < 200; index++) await world.apply(MachineSet, machineSet(`set-${index}`, 5));
  const [startedMs, startSteps] = [performance.now(), world.scheduler.steps];
  world.start();
  await world.settle();
  const steps = world.scheduler.steps - startSteps;
  return {
    hash: hash.digest("hex").slice(0, 16),
    steps,
    stepsPerSecond: (1000 * steps) / (performance.now() - startedMs),
  };
}

async function virtualTime(): Promise<void> {
  const runs = [await virtualRun("1"), await virtualRun("1"), await virtualRun("2")];
  printTable(
    ["200 MachineSets of 5, virtual", "steps", "steps/s", "log hash"],
    runs.map(({ hash, steps, stepsPerSecond }, index) => [
      ["seed 1", "seed 1 again", "seed 2"][index] ?? "",
      String(steps),
      stepsPerSecond.toFixed(0),
      hash,
    ]),
  );
}

queues();
console.log();
await virtualTime();
console.log();
await informers();
