import { isBookkeeping } from "../world/truth.ts";
import type { Invariant } from "./invariant.ts";

const WINDOW_MS = 60_000;
// Slightly more than once a second for a minute: a burst after a change is not a loop.
const MOST_CALLS = 60;
// Objects come and go: beyond this many, entries without recent calls are removed.
const MOST_KEPT = 10_000;

/** No controller sends the same request about the same object in a loop. */
export const noHotLoop: Invariant = {
  name: "no-hot-loop",
  says: `a controller sends at most ${MOST_CALLS} requests of one kind about one object in a minute`,
  watch: () => {
    const recent = new Map<string, number[]>();
    let sweepAbove = MOST_KEPT;
    return {
      called: ({ process, by, server, verb, resource, namespace = "", name }, atMs) => {
        if (isBookkeeping(resource)) return undefined;
        const key = `${process} ${by} ${server} ${verb} ${resource} ${namespace} ${name}`;
        const times = recent.get(key) ?? [];
        recent.set(key, times);
        times.push(atMs);
        if (recent.size > sweepAbove) {
          forgetBefore(recent, atMs - WINDOW_MS);
          sweepAbove = Math.max(MOST_KEPT, 2 * recent.size);
        }
        while (times[0] !== undefined && times[0] <= atMs - WINDOW_MS) times.shift();
        // Requests without a name, such as creates and lists, are not about one object.
        if (name === "" || times.length <= MOST_CALLS) return undefined;
        const what = `${verb} ${resource} ${namespace === "" ? "" : `${namespace}/`}${name}`;
        return `${by} of ${process} sent "${what}" ${times.length} times within a minute`;
      },
    };
  },
};

function forgetBefore(recent: Map<string, number[]>, ms: number): void {
  for (const [key, times] of recent) if ((times.at(-1) ?? 0) <= ms) recent.delete(key);
}
