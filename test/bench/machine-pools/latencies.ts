import type { TraceEvent } from "@capstan/sim";

/** The durations of Azure and of the guest for one machine. */
export interface MachineLatency {
  readonly startMs: number;
  /** Until Azure finished the VM. */
  readonly provisionedMs: number;
  /** From then until its Node was Ready. */
  readonly bootMs: number;
}

/** The recorded durations of created machines, in the order of their start. */
export function creationsIn(events: readonly TraceEvent[]): readonly MachineLatency[] {
  const startedMs = new Map<string, number>();
  return recorded(events, ({ atMs, happening }) => {
    if (happening.kind !== "machine") return undefined;
    const { machine } = happening;
    if (happening.event === "created") startedMs.set(machine, atMs);
    const startMs = startedMs.get(machine);
    return happening.event === "booted" && startMs !== undefined ? { machine, startMs } : undefined;
  });
}

/** The same for machines that were updated in place. The time alone shows which request an update belongs to. */
export function updatesIn(events: readonly TraceEvent[]): readonly MachineLatency[] {
  let startMs: number | undefined;
  return recorded(events, ({ atMs, happening }) => {
    if (happening.kind === "arm" && happening.operation.endsWith("/manualupgrade")) startMs = atMs;
    if (happening.kind !== "machine" || happening.event !== "modelApplied") return undefined;
    const { machine } = happening;
    return startMs === undefined ? undefined : { machine, startMs };
  });
}

/** Joins the end of Azure's work on machines, as in `provisioned`, with the time when their Nodes were Ready. */
function recorded(
  events: readonly TraceEvent[],
  provisioned: (event: TraceEvent) => { readonly machine: string; readonly startMs: number } | undefined,
): readonly MachineLatency[] {
  const booting = new Map<string, { readonly startMs: number; readonly atMs: number }>();
  const latencies: MachineLatency[] = [];
  for (const event of events) {
    const { atMs, happening } = event;
    const through = provisioned(event);
    if (through) booting.set(through.machine, { startMs: through.startMs, atMs });
    if (happening.kind !== "node" || happening.event !== "ready") continue;
    const machine = machineOf(happening.node);
    const booted = booting.get(machine);
    if (!booted) continue;
    booting.delete(machine);
    const { startMs } = booted;
    latencies.push({ startMs, provisionedMs: booted.atMs - startMs, bootMs: atMs - booted.atMs });
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
