import { getCondition } from "@capstan/api";
import type { TraceEvent } from "../../trace/trace-event.ts";
import type { Call } from "../../world/call.ts";
import { isBookkeeping, type Truth } from "../../world/truth.ts";
import type { Invariant } from "../invariant.ts";
import { PoolLookup, type PoolRecord } from "./pool-lookup.ts";

const WINDOW_MS = 30 * 60_000;
// One list of instances every ten minutes, give or take a tenth, so that half an hour may begin and end with one.
const MOST_LISTS = 4;
// What is not the instances, such as the set itself, is looked at once an hour.
const MOST_OTHERS = 1;
// Trouble is told of first, and then written into the status: that ends the rest.
const REASON_MS = 60_000;
// As many instances as Azure puts on a page.
const PAGE = 100;

/** I15. That nobody writes is asked for where a run ends; this is what is left, which costs others something all the same. */
export const standsStill: Invariant = {
  name: "stands-still",
  says: `a settled pool tells of no events, and in half an hour lists its instances at most ${MOST_LISTS} times and reads anything else at most once`,
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
          return `${reported.event} is told of although nothing happens`;
        if (isEventOf(poolLookup, call)) reported ??= { event: call.name, atMs };
        if (!isSetRead(call)) return undefined;
        const what = `${call.verb} ${call.resource} ${call.name}`;
        const times = [...(reads.get(what) ?? []), atMs].filter((ms) => ms > atMs - WINDOW_MS);
        reads.set(what, times);
        return times.length > mostOf(truth, call)
          ? `${call.by} sent "${what}" ${times.length} times in half an hour in which nothing happened`
          : undefined;
      },
    };
  },
};

/** Whether a pool has all it wants; one that has not may well ask again. */
function isContent({ pool, owner, isLeaving }: PoolRecord): boolean {
  const isReady = [pool, owner].every(
    (one) => getCondition(one?.status?.conditions, "Ready")?.status === "True",
  );
  const isComplete = getCondition(pool.status?.conditions, "RolloutProgressing")?.reason === "Complete";
  return isReady && isComplete && !isLeaving;
}

/** Whatever somebody does, but for reading and keeping books, is something to react to. */
function endsRest({ happening }: TraceEvent): boolean {
  if (happening.kind === "write") return !isBookkeeping(happening.resource);
  return happening.kind !== "arm" || happening.method !== "GET";
}

/** An Event bears the name of what it is about. */
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
