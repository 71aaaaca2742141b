import type { TraceEvent } from "@capstan/sim";

/** How long Azure and a guest took for one machine. */
export interface MachineLatency {
  readonly startMs: number;
  /** Until Azure was through with the VM. */
  readonly provisionedMs: number;
  /** From then until its Node was Ready. */
  readonly bootMs: number;
}

type Begin = "created" | "modelApplied";

/** What was recorded for the machines that were made, or updated, in the order in which that began. */
export function latenciesIn(events: readonly TraceEvent[], begin: Begin): readonly MachineLatency[] {
  const begun = new Map<string, { startMs: number; provisionedMs?: number }>();
  const latencies: MachineLatency[] = [];
  for (const { atMs, happening } of events) {
    if (happening.kind === "machine") {
      const key = `${happening.scaleSet}/${happening.instance}`;
      const machine = begun.get(key);
      if (happening.event === begin) begun.set(key, { startMs: atMs });
      else if (machine && happening.event === "booted") machine.provisionedMs = atMs;
    } else if (happening.kind === "node" && happening.event === "ready") {
      const key = machineOf(happening.node);
      const { startMs, provisionedMs } = begun.get(key) ?? {};
      if (startMs === undefined || provisionedMs === undefined) continue;
      latencies.push({ startMs, provisionedMs: provisionedMs - startMs, bootMs: atMs - provisionedMs });
      begun.delete(key);
    }
  }
  return latencies.toSorted((a, b) => a.startMs - b.startMs);
}

/** Azure names the computers of a set after it, with the instance's number in base 36 and six digits. */
function machineOf(node: string): string {
  return `${node.slice(0, -6)}/${Number.parseInt(node.slice(-6), 36)}`;
}

/** When a machine was ready, counted from its beginning. */
export function readyMs({ provisionedMs, bootMs }: MachineLatency): number {
  return provisionedMs + bootMs;
}
