import type { TraceEvent, World } from "@capstan/sim";

/** One piece of work on a pool, and everything that happened during it. */
export interface Chapter {
  readonly events: readonly TraceEvent[];
  readonly durationMs: number;
}

/** Does something, waits until it is done, and keeps what happened. */
export async function chapterOf(world: World, work: () => Promise<void>): Promise<Chapter> {
  const startMs = world.scheduler.monotonicMs;
  const before = world.trace.events.length;
  await work();
  return { events: world.trace.events.slice(before), durationMs: world.scheduler.monotonicMs - startMs };
}

// Requests for the cluster around a pool do not count for the pool.
const OF_POOLS = /virtualMachineScaleSets|Microsoft\.Compute|skus/;

/** The requests to Azure about a pool, by operation. */
export function requestsOf({ events }: Chapter): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { happening, actor } of events) {
    if (happening.kind !== "arm" || !actor.startsWith("manager") || !OF_POOLS.test(happening.operation))
      continue;
    counts.set(happening.operation, (counts.get(happening.operation) ?? 0) + 1);
  }
  return counts;
}

/** How often Azure throttled. */
export function refusalsIn({ events }: Chapter): number {
  return events.filter(({ happening }) => happening.kind === "arm" && happening.status === 429).length;
}

/** Writes that are no work on objects. */
export const NO_WORK: readonly string[] = ["events", "leases"];

/** The controllers' writes to Kubernetes, including refused ones, without Leases, Events and evictions. */
export function kubeWritesIn({ events }: Chapter): number {
  return events.filter(
    ({ actor, happening }) =>
      happening.kind === "write" &&
      actor.startsWith("manager") &&
      !NO_WORK.includes(happening.resource) &&
      happening.subresource !== "eviction",
  ).length;
}

/** Writes to Azure. */
export function armWritesIn({ events }: Chapter): number {
  return events.filter(
    ({ actor, happening }) =>
      happening.kind === "arm" && actor.startsWith("manager") && !["GET", "HEAD"].includes(happening.method),
  ).length;
}

/** All of a count together. */
export function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
