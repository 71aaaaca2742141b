import type { HttpResponse } from "@capstan/env";
import type { Call } from "../world/call.ts";
import { isBookkeeping } from "../world/truth.ts";
import type { Invariant } from "./invariant.ts";

// How long other managers wait before they take over a Lease that is not renewed.
const LEASE_MS = 15_000;

/** Of several managers, only the holder of a valid Lease writes. */
export const singleWriter: Invariant = {
  name: "single-writer",
  says: "only the manager that holds a valid Lease writes",
  watch: () => {
    /** Whose writes of the Lease were accepted, and when the last of them was sent. */
    let holder: { readonly process: string; readonly sentMs: number } | undefined;
    const sent = new Map<string, number>();
    return {
      answered: (call, response) => {
        const sentMs = sent.get(call.process);
        if (isLeaseWrite(call) && isTaken(response) && sentMs !== undefined) {
          holder = { process: call.process, sentMs };
        }
        return undefined;
      },
      called: (call, atMs) => {
        if (isLeaseWrite(call)) sent.set(call.process, atMs);
        if (!holder || !call.isWrite || isBookkeeping(call.resource)) return undefined;
        const what = `${call.process} sent "${call.verb} ${call.resource} ${call.name}"`;
        if (call.process !== holder.process) return `${what} while ${holder.process} holds the Lease`;
        return atMs - holder.sentMs > LEASE_MS
          ? `${what} ${Math.round((atMs - holder.sentMs) / 1000)} s after it last renewed the Lease`
          : undefined;
      },
    };
  },
};

function isLeaseWrite({ resource, isWrite }: Call): boolean {
  return isWrite && resource === "leases";
}

function isTaken({ status }: HttpResponse): boolean {
  return status < 300;
}
