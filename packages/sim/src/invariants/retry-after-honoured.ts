import type { Call } from "../world/call.ts";
import type { Invariant } from "./invariant.ts";

/** A client that gets Retry-After waits that long. */
export const retryAfterHonoured: Invariant = {
  name: "retry-after-honoured",
  says: "a request that was refused with Retry-After is not sent again before that time is over",
  watch: () => {
    const notBefore = new Map<string, number>();
    return {
      answered: (call, { status, headers }, atMs) => {
        const seconds = Number(headers["retry-after"]);
        if ((status === 429 || status === 503) && seconds > 0)
          notBefore.set(keyOf(call), atMs + seconds * 1000);
        return undefined;
      },
      called: (call, atMs) => {
        if (notBefore.size === 0) return undefined;
        const dueMs = notBefore.get(keyOf(call));
        if (dueMs === undefined) return undefined;
        if (atMs >= dueMs) {
          notBefore.delete(keyOf(call));
          return undefined;
        }
        const { by, process, verb, resource, name } = call;
        const early = ((dueMs - atMs) / 1000).toFixed(1);
        return `${by} of ${process} sent "${verb} ${resource} ${name}" again ${early} s before Retry-After was over`;
      },
    };
  },
};

/** The same request to the same server by the same controller. A new process does not know the answers of an old one. */
function keyOf({
  process,
  by,
  server,
  verb,
  resource,
  namespace = "",
  name,
  subresource = "",
}: Call): string {
  return [process, by, server, verb, resource, namespace, name, subresource].join(" ");
}
