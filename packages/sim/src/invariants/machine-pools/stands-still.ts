import { getCondition, olderConditionsOf } from "@capstan/api";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Call } from "../../world/call.ts";
import { isBookkeeping, type Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

const WINDOW_MS = 30 * 60_000;
// One list of instances every ten minutes, plus or minus a tenth, so that half an hour may start and end with one.
const MOST_LISTS = 4;
// Other resources, such as the set itself, are read once an hour.
const MOST_OTHERS = 1;
// A controller records an event first and then writes the status: that write ends the rest.
const REASON_MS = 60_000;
// Azure's page size.
const PAGE = 100;

/**
 * I15. The end of a run checks that no controller writes. This invariant checks the rest, which costs too: events and reads.
 */
export const standsStill: Invariant = {
  name: "stands-still",
  says: `a settled pool records no events, and in half an hour lists its instances at most ${MOST_LISTS} times and reads anything else at most once`,
  watch: (truth) => {
    const poolLookup = new PoolLookup(truth);
    const reads = new Map<string, number[]>();
    let isResting = false;
    let reported: { readonly event: string; readonly atMs: number } | undefined;
    return {
      happened: (event) => {
        if (!endsRest(event)) return undefined;
        isResting = false;
        reported = undefined;
        return undefined;
      },
      atRest: () => {
        isResting = poolLookup.pools().every(isContent);
        reads.clear();
        return undefined;
      },
      called: (call, atMs) => {
        if (!isResting) return undefined;
        if (reported && atMs - reported.atMs > REASON_MS)
          return `Event ${reported.event} was recorded although nothing changed`;
        if (isEventOf(poolLookup, call)) reported ??= { event: call.name, atMs };
        if (!isSetRead(call)) return undefined;
        const what = `${call.verb} ${call.resource} ${call.name}`;
        const times = [...(reads.get(what) ?? []), atMs].filter((ms) => ms > atMs - WINDOW_MS);
        reads.set(what, times);
        return times.length > mostOf(truth, call)
          ? `${call.by} sent "${what}" ${times.length} times in half an hour without any change`
          : undefined;
      },
    };
  },
};

/** Whether a pool is complete; an incomplete one may poll. */
function isContent({ pool, owner, isLeaving }: PoolRecord): boolean {
  const isReady = [pool, owner].every(
    (one) => one && getCondition(olderConditionsOf(one), "Ready")?.status === "True",
  );
  const isComplete = getCondition(pool.status?.conditions, "RolloutProgressing")?.reason === "Complete";
  return isReady && isComplete && !isLeaving;
}

/** Any change but a read or bookkeeping is a reason to react. */
function endsRest({ happening }: TraceEvent): boolean {
  if (happening.kind === "write") return !isBookkeeping(happening.resource);
  return happening.kind !== "arm" || happening.method !== "GET";
}

/** The name of an Event starts with that of its object. */
function isEventOf(poolLookup: PoolLookup, { resource, isWrite, name }: Call): boolean {
  if (resource !== "events" || !isWrite) return false;
  const [about = ""] = name.split(".");
  return poolLookup
    .pools()
    .some(({ pool }) => about === pool.metadata.name || about.startsWith(`${pool.metadata.name}-`));
}

function isSetRead({ api, isWrite, resource }: Call): boolean {
  return api === "arm" && !isWrite && /^virtualMachineScaleSets(\/|$)/i.test(resource);
}

function mostOf(truth: Truth, { verb, name }: Call): number {
  if (verb !== "LIST") return MOST_OTHERS;
  const { scaleSets } = truth.azure.core.world;
  const set = [...scaleSets.sets.entries()].find(([, { id }]) =>
    id.toLowerCase().endsWith(`/${name.toLowerCase()}`),
  );
  return MOST_LISTS * Math.max(Math.ceil((set?.[1].capacity ?? 0) / PAGE), 1);
}
