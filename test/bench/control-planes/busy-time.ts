import type { Happening, TraceEvent } from "@capstan/sim";

/** The beginning or the end of work for a cluster. */
interface WorkEdge {
  readonly edge: "begin" | "end";
  readonly cluster: string;
  readonly work: string;
}

type Span = readonly [startMs: number, endMs: number];

/** A piece of work of Azure or a guest: the network of a cluster, or `PUT` or `DELETE` and the name of a machine. */
interface Work {
  readonly cluster: string;
  readonly work: string;
  readonly span: Span;
}

/** The finished work in a trace, in the order of its ends: a machine from its first PUT to its Ready Node, or from its DELETE to its end. */
export function worksIn(events: readonly TraceEvent[]): readonly Work[] {
  const begunMs = new Map<string, number>();
  return events.flatMap(({ atMs, happening }) => {
    const bound = edgeOf(happening);
    if (!bound) return [];
    const { cluster, work } = bound;
    const key = `${cluster} ${work}`;
    const startMs = begunMs.get(key);
    if (bound.edge === "begin") begunMs.set(key, startMs ?? atMs);
    if (bound.edge === "begin" || startMs === undefined) return [];
    begunMs.delete(key);
    return [{ cluster, work, span: [startMs, atMs] as const }];
  });
}

/**
 * How long Azure or a guest was at work for each cluster: for its network, and then for at least one of its machines, from
 * the first PUT to the Ready Node or from the DELETE to the end. An ideal controller that sees everything at once takes as
 * long. Network interfaces and disks that are deleted after their machine do not count.
 */
export function busyTimes(events: readonly TraceEvent[]): ReadonlyMap<string, number> {
  const byCluster = Map.groupBy(worksIn(events), ({ cluster }) => cluster);
  return new Map(
    [...byCluster].map(([cluster, works]) => [cluster, lengthOf(works.map(({ span }) => span))]),
  );
}

function edgeOf(happening: Happening): WorkEdge | undefined {
  if (happening.kind === "arm") return requestEdge(happening.method, happening.path);
  if (happening.kind === "condition") return networkEdge(happening);
  if (happening.kind === "node" && happening.event === "ready")
    return machineEdge("end", "PUT", happening.node);
  if (happening.kind === "machine" && happening.event === "deleted")
    return machineEdge("end", "DELETE", happening.machine);
  return undefined;
}

function networkEdge({
  object,
  type,
  status,
}: Extract<Happening, { kind: "condition" }>): WorkEdge | undefined {
  const isReady = type === "NetworkInfrastructureReady" && status === "True";
  return isReady ? { edge: "end", cluster: object.split("/").at(-1) ?? "", work: "network" } : undefined;
}

// The network interface of a machine is created before it.
const MACHINE = /\/(?:virtualMachines\/([^/?]+)|networkInterfaces\/([^/?]+)-nic)(?:\?|$)/i;

function requestEdge(method: string, path: string): WorkEdge | undefined {
  const [, vm, ofInterface] = MACHINE.exec(path) ?? [];
  const machine = vm ?? ofInterface;
  if (machine !== undefined)
    return method === "PUT" || (method === "DELETE" && vm !== undefined)
      ? machineEdge("begin", method, machine)
      : undefined;
  const cluster = /\/resourceGroups\/([^/?]+)/i.exec(path)?.[1];
  return method === "PUT" && cluster !== undefined ? { edge: "begin", cluster, work: "network" } : undefined;
}

/** Machines are named after their cluster, then a dash. */
function machineEdge(edge: WorkEdge["edge"], method: string, machine: string): WorkEdge {
  return { edge, cluster: machine.split("-")[0] ?? "", work: `${method} ${machine}` };
}

/** The length of all spans together; time that several of them cover counts once. */
function lengthOf(spans: readonly Span[]): number {
  let totalMs = 0;
  let untilMs = -Infinity;
  for (const [startMs, endMs] of spans.toSorted(([a], [b]) => a - b)) {
    totalMs += Math.max(0, endMs - Math.max(startMs, untilMs));
    untilMs = Math.max(untilMs, endMs);
  }
  return totalMs;
}
