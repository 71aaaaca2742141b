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
  /** Whether the next machine is created only when the old one is gone: in a control plane, because of etcd. */
  readonly isOneByOne?: boolean;
}

/** How long half of the runs take at most, and nine of ten. */
export interface ReplacementTime {
  readonly typicalMs: number;
  readonly slowMs: number;
}

const RUNS = 101;
// The controllers of machines poll Azure so often, for each creation and each deletion.
const POLL_MS = 10_000;

/**
 * How long the replacement of AzureMachines takes, from recorded times of Azure. Each place of the rollout creates a machine and
 * waits until it is available; the deletion of an old one goes on meanwhile, and only the last one is waited for. The same
 * input gives the same times.
 */
export function replacementTime(replacement: Replacement): ReplacementTime {
  const durations = Array.from({ length: RUNS }, (_, run) =>
    durationMs(replacement, createRng(String(run), "replaced machines")),
  ).toSorted((a, b) => a - b);
  const at = (share: number): number => durations[Math.floor(share * (RUNS - 1))] ?? 0;
  return { typicalMs: at(0.5), slowMs: at(0.9) };
}

function durationMs(
  { machines, atOnce, minReadySeconds, isOneByOne = false }: Replacement,
  rng: Rng,
): number {
  if (machines === 0) return 0;
  const freeAtMs = Array.from({ length: Math.max(1, Math.min(atOnce, machines)) }, () => 0);
  for (let machine = 0; machine < machines; machine++) {
    const place = freeAtMs.indexOf(freeAtMs.reduce((first, one) => Math.min(first, one)));
    const deletedMs = isOneByOne ? deletionMs(rng) : 0;
    freeAtMs[place] = (freeAtMs[place] ?? 0) + creationMs(rng) + minReadySeconds * 1000 + deletedMs;
  }
  const lastMs = freeAtMs.reduce((last, one) => Math.max(last, one), 0);
  return isOneByOne ? lastMs : lastMs + drawTypicalSeconds(DRAIN, rng) * 1000 + deletionMs(rng);
}

/** The network interface, the virtual machine, and its boot. */
function creationMs(rng: Rng): number {
  const azureMs = polled("networkInterfaces", rng) + polled("virtualMachine.create", rng);
  return azureMs + drawTypicalSeconds(BOOT, rng) * 1000;
}

/** The virtual machine goes first, then its network interface. */
function deletionMs(rng: Rng): number {
  return polled("virtualMachine.delete", rng) + polled("network.delete", rng);
}

/** An operation ends for its controller with the next poll. */
function polled(step: string, rng: Rng): number {
  return Math.ceil(drawMs(RECORDED[step] ?? NONE, rng) / POLL_MS) * POLL_MS;
}
