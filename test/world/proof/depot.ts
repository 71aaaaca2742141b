import type { Handler, HttpResponse } from "@capstan/env";

/**
 * A slow system outside Kubernetes, like Azure: each MachineSet reserves a slot there. A reservation takes some time and
 * must never be made twice; the depot counts the requests.
 */
export interface Depot {
  readonly handler: Handler;
  readonly slots: ReadonlyMap<string, Slot>;
  /** How often a reservation was started, for each name. */
  readonly begun: ReadonlyMap<string, number>;
}

interface Slot {
  readonly readyAtMs: number;
}

// Longer than a request, shorter than the limit of a test: a caller has to requeue for it.
const RESERVATION_MS = 20_000;

/** Creates a depot on the given clock. */
export function createDepot(nowMs: () => number): Depot {
  const slots = new Map<string, Slot>();
  const begun = new Map<string, number>();
  const handler: Handler = ({ method, path }) => {
    const name = decodeURIComponent(path.slice(1));
    const slot = slots.get(name);
    if (method === "PUT") {
      begun.set(name, (begun.get(name) ?? 0) + 1);
      slots.set(name, { readyAtMs: nowMs() + RESERVATION_MS });
      return Promise.resolve(json(202, {}));
    }
    if (method === "DELETE") {
      slots.delete(name);
      return Promise.resolve(json(200, {}));
    }
    return Promise.resolve(slot ? json(200, { ready: nowMs() >= slot.readyAtMs }) : json(404, {}));
  };
  return { handler, slots, begun };
}

function json(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: {},
    json: () => Promise.resolve(body),
    text: () => Promise.resolve(JSON.stringify(body)),
    lines: () => {
      throw new TypeError("the depot has no streams");
    },
  };
}
