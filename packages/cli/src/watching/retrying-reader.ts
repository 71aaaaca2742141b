import { humanDuration } from "@capstan/apiserver/human-duration";
import { Failure } from "@capstan/runtime";
import { CommandError } from "../command-error.ts";
import { causeFirst } from "../render/cause-first.ts";

// A restart of a server takes seconds, and that of its machine a minute.
const LONGEST_OUTAGE_MS = 120_000;

/** What a reader uses. */
interface ReaderPorts {
  readonly monotonic: () => number;
  /** Where it reports an outage. */
  readonly say: (text: string) => void;
  /** Whether the command ends, which makes its last request fail. */
  readonly isEnding: () => boolean;
}

/**
 * Reads a state from a server that may be unavailable for a while, for example during a restart. After the
 * first answer, a failed read returns undefined, and `say` gets one message per outage. Before it, a failure is thrown,
 * because the address may be wrong; so is the failure of a long outage, because the server may be gone for good.
 */
export function retryingReader<S>(
  readState: () => Promise<S>,
  { monotonic, say, isEnding }: ReaderPorts,
): () => Promise<S | undefined> {
  let hasAnswered = false;
  let awaySinceMs: number | undefined;
  return async () => {
    try {
      const state = await readState();
      hasAnswered = true;
      awaySinceMs = undefined;
      return state;
    } catch (error) {
      if (isEnding()) return undefined;
      if (!hasAnswered || !(error instanceof Failure) || !mayPass(error)) throw error;
      if (awaySinceMs === undefined) say(`no answer, trying again: ${causeFirst(error.message)}\n`);
      awaySinceMs ??= monotonic();
      const awayMs = monotonic() - awaySinceMs;
      if (awayMs >= LONGEST_OUTAGE_MS)
        throw new CommandError(`no answer for ${humanDuration(awayMs)}: ${causeFirst(error.message)}`);
      return undefined;
    }
  };
}

// Waiting does not grant a permission.
const REFUSED: ReadonlySet<string> = new Set(["Unauthorized", "Forbidden"]);

function mayPass({ failure, reason }: Failure): boolean {
  return failure === "Transient" && !REFUSED.has(reason);
}
