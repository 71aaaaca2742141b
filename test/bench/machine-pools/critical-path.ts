import { type MachineLatency, readyMs } from "./latencies.ts";

/**
 * How long replacing takes an ideal controller that observes everything at once and never waits, with the recorded latencies:
 * one PUT of the set at a time, each as long as the slowest of its machines; an old machine goes as soon as a new one is
 * Ready, and Azure gives its place to the next PUT.
 */
export function replacePathMs(latencies: readonly MachineLatency[], surge: number): number {
  let atMs = 0;
  let made = 0;
  let doneMs = 0;
  const readyAtMs: number[] = [];
  while (made < latencies.length) {
    const free = surge + readyAtMs.filter((ms) => ms <= atMs).length - made;
    if (free <= 0) {
      atMs = Math.min(...readyAtMs.filter((ms) => ms > atMs));
      continue;
    }
    const wave = latencies.slice(made, made + free);
    const startMs = atMs;
    made += wave.length;
    readyAtMs.push(...wave.map((machine) => startMs + readyMs(machine)));
    atMs += Math.max(...wave.map(({ provisionedMs }) => provisionedMs));
    doneMs = Math.max(...readyAtMs);
  }
  return doneMs;
}

/** The same for updates in place: wave after wave, each as long as the slowest of its machines. */
export function inPlacePathMs(latencies: readonly MachineLatency[], wave: number): number {
  let totalMs = 0;
  for (let start = 0; start < latencies.length; start += wave)
    totalMs += Math.max(...latencies.slice(start, start + wave).map(readyMs));
  return totalMs;
}

// reference/azure.md 4.2: every write that touches instances is charged by their number.
const BATCHED = { capacity: 6000, perMinute: 2000 };

/** The minutes that Azure's budget for so many touched instances takes at the least. */
export function budgetFloorMinutes(touched: number): number {
  return Math.max(0, (touched - BATCHED.capacity) / BATCHED.perMinute);
}
