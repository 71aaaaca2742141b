/** What becomes of the versions of an image that a user has asked for by name. */
import { definitionIn } from "./history.ts";
import type { HistoryEntry } from "./record.ts";

/** The next step towards the version that a user has pinned, and why. */
export type PinDecision =
  | { readonly do: "none" }
  | { readonly do: "rollBack" }
  | { readonly do: "hold" | "refuse"; readonly why: string };

/**
 * Holds the version that a user has pinned: newer ones are rolled back, one at a time, and no renewal begins. A version that is
 * not kept changes nothing, because a wrong name must not cost the image in use.
 */
export function decidePin(pin: string | undefined, history: readonly HistoryEntry[]): PinDecision {
  if (pin === undefined) return { do: "none" };
  const pinned = history.find(({ version }) => version === pin);
  if (pinned?.state === "Active") {
    const why = `a user has pinned version ${pin}; capstan prototype unpin lets images be renewed again`;
    return { do: "hold", why };
  }
  const active = history.find(({ state }) => state === "Active");
  const isKept = pinned?.state === "Previous" && active && definitionIn(pinned) === definitionIn(active);
  return isKept ? { do: "rollBack" } : unknown(pin, history);
}

// An annotation may have any length.
const MOST_LETTERS = 40;

function unknown(pin: string, history: readonly HistoryEntry[]): PinDecision {
  const kept = history.flatMap(({ version, state }) =>
    state === "Active" || state === "Previous" ? [version] : [],
  );
  const choice =
    kept.length === 0
      ? "no image of a node is kept yet; run capstan prototype unpin, and wait for the first renewal"
      : `pin one of ${kept.join(", ")}, or run capstan prototype unpin`;
  const why = `new nodes cannot boot from version ${JSON.stringify(pin.slice(0, MOST_LETTERS))}: ${choice}`;
  return { do: "refuse", why };
}

/** Whether a request for a roll-back still has anything to do: it may name the version that a user wants to leave. */
export function isRollbackDone(request: string, history: readonly HistoryEntry[]): boolean {
  const [, version] = request.split(" ");
  return version !== undefined && !history.some((one) => one.version === version && one.state === "Active");
}
