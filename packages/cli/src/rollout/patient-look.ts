import { Failure } from "@capstan/runtime";
import type { RolloutState } from "./rollout-state.ts";

/** Looks at a pool. */
export type Look = () => Promise<RolloutState>;

/**
 * Looks at a pool of a server that may be away for a while, as one is that is restarted. Once it has answered, no answer
 * is told to `say`, once each time it goes away, and is undefined; before that it is an error, as a wrong address is.
 */
export function patientLook(
  look: Look,
  say: (text: string) => void,
): () => Promise<RolloutState | undefined> {
  let isAway: boolean | undefined;
  return async () => {
    try {
      const state = await look();
      isAway = false;
      return state;
    } catch (error) {
      if (isAway === undefined || !(error instanceof Failure) || !mayPass(error)) throw error;
      if (!isAway) say(`no answer, trying again: ${error.message}\n`);
      isAway = true;
      return undefined;
    }
  };
}

// Nobody gets a right by waiting for it.
const REFUSED: ReadonlySet<string> = new Set(["Unauthorized", "Forbidden"]);

function mayPass({ failure, reason }: Failure): boolean {
  return failure === "Transient" && !REFUSED.has(reason);
}
