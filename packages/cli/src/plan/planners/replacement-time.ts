import { drawMs, drawTypicalSeconds, RECORDED } from "@capstan/azure-sim";
import { createRng, type Rng } from "@capstan/env";
import { BOOT, DRAIN, NONE } from "./expected-times.ts";

/** A rollout that replaces machines. */
export interface Replacement {
  /** How many machines are replaced. */
  readonly machines: number;
  /** How many at a time: the surge and the machines that may be unavailable. */
  readonly atOnce: number;
  readonly minReadySeconds: number;
}

/** How long half of the runs take at most, and nine of ten. */
export interface ReplacementTime {
  readonly typicalMs: number;
  readonly slowMs: number;
}

const RUNS = 21;
// The machine controllers poll Azure every ten seconds, for the creation and for the deletion: half of that on average.
const NOTICE_MS = 10_000;

/**
 * How long the replacement of AzureMachines takes, from recorded times of Azure. Each place of the rollout creates a machine,
 * waits until it is available, and drains and deletes an old one before it creates the next. The same input gives the same times.
 */
export function replacementTime(replacement: Replacement): ReplacementTime {
  const durations = Array.from({ length: RUNS }, (_, run) =>
    durationMs(replacement, createRng(String(run), "replaced machines")),
  ).toSorted((a, b) => a - b);
  const at = (share: number): number => durations[Math.floor(share * RUNS)] ?? 0;
  return { typicalMs: at(0.5), slowMs: at(0.9) };
}

function durationMs({ machines, atOnce, minReadySeconds }: Replacement, rng: Rng): number {
  const freeAtMs = Array.from({ length: Math.max(1, Math.min(atOnce, machines)) }, () => 0);
  for (let machine = 0; machine < machines; machine++) {
    const place = freeAtMs.indexOf(freeAtMs.reduce((first, one) => Math.min(first, one)));
    freeAtMs[place] = (freeAtMs[place] ?? 0) + oneMs(rng) + minReadySeconds * 1000;
  }
  return freeAtMs.reduce((last, one) => Math.max(last, one), 0);
}

/** One machine: its network interface, its creation, its boot, and the drain and the deletion of an old one. */
function oneMs(rng: Rng): number {
  const inAzure = ["networkInterfaces", "virtualMachine.create", "virtualMachine.delete"];
  const azureMs = inAzure.reduce((sum, step) => sum + drawMs(RECORDED[step] ?? NONE, rng), 0);
  const guestSeconds = drawTypicalSeconds(BOOT, rng) + drawTypicalSeconds(DRAIN, rng);
  return azureMs + guestSeconds * 1000 + NOTICE_MS;
}
