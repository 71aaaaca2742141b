import { Failure } from "@capstan/runtime";
import type { RolloutState } from "./rollout-state.ts";

/** Reads the state of a pool. */
export type ReadState = () => Promise<RolloutState>;

/**
 * Reads the state of a pool from a server that may be unavailable for a while, for example during a restart. After the
 * first answer, a failed read returns undefined, and `say` gets one message per outage. Before it, a failure is thrown,
 * because the address may be wrong.
 */
export function retryingReader<S>(
  readState: () => Promise<S>,
  say: (text: string) => void,
): () => Promise<S | undefined> {
  let isAway: boolean | undefined;
  return async () => {
    try {
      const state = await readState();
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

// Waiting does not grant a permission.
const REFUSED: ReadonlySet<string> = new Set(["Unauthorized", "Forbidden"]);

function mayPass({ failure, reason }: Failure): boolean {
  return failure === "Transient" && !REFUSED.has(reason);
}
