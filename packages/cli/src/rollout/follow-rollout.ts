import { humanDuration } from "@capstan/apiserver/human-duration";
import { EXIT } from "../exit-codes.ts";
import { type Emphasis, forWindow } from "../render/emphasis.ts";
import type { Shell } from "../shell.ts";
import { exitCodeFor } from "../signals.ts";
import { draw } from "../watching/draw.ts";
import { retryingReader } from "../watching/retrying-reader.ts";
import { isStopped, POLL_INTERVAL_MS, until } from "../watching/wait.ts";
import { machineTroubles, obstacleLines } from "./obstacles.ts";
import { type Pace, paceAfter, tookLine } from "./pace.ts";
import { rolloutAnswer } from "./rollout-answer.ts";
import {
  confirmed,
  momentOf,
  noteLines,
  type ReadState,
  type RolloutState,
  sentenceFor,
} from "./rollout-state.ts";
import { rolloutTree } from "./rollout-tree.ts";

/** How long to wait for a rollout, and how to print its progress. */
export interface Patience {
  /** Reads the state once, if false. */
  readonly isWatching: boolean;
  readonly timeoutMs?: number | undefined;
  /** A line of JSON for each change, for programs, instead of sentences. */
  readonly output?: "json" | undefined;
}

/** Prints a line for every change, until the rollout is done, has failed or takes too long. */
export async function awaitRollout(shell: Shell, readState: ReadState, patience: Patience): Promise<number> {
  let earlier: RolloutState | undefined;
  let pace: Pace | undefined;
  const read = async (): Promise<Progress> => {
    earlier = confirmed(await readState(), earlier);
    pace = paceAfter(pace, momentOf(earlier));
    const took = tookLine(pace);
    const text = linesFor(earlier, shownFailure(earlier, patience)) + (took === undefined ? "" : `${took}\n`);
    return { text, code: verdictOn(earlier, patience), answer: rolloutAnswer(earlier) };
  };
  return await followProgress(shell, read, patience);
}

/** How far the rollout of an object is. */
export interface Progress {
  /** What is printed when it differs from the last text. */
  readonly text: string;
  /** The same for programs. */
  readonly answer: object;
  /** The exit code; undefined while the rollout has not ended. */
  readonly code: number | undefined;
}

/** Prints the progress of a rollout whenever it changes, until it ends or takes too long. */
export async function followProgress(
  shell: Shell,
  readProgress: () => Promise<Progress>,
  { timeoutMs = Number.POSITIVE_INFINITY, output }: Omit<Patience, "isWatching">,
): Promise<number> {
  const { clock } = shell.env;
  const stop = shell.stopSignal();
  const beganMs = clock.monotonic();
  const leftMs = (): number => timeoutMs - (clock.monotonic() - beganMs);
  const monotonic = (): number => clock.monotonic();
  const say = (text: string): void => shell.err.write(`capstan: ${text}`);
  const isEnding = (): boolean => stop.aborted || leftMs() <= 0;
  const readAgain = retryingReader(readProgress, { monotonic, say, isEnding });
  const shown = ({ text, answer }: Progress): string =>
    output === "json" ? `${JSON.stringify(answer)}\n` : forWindow(shell, text, EMPHASIS);
  let before: Progress | undefined;
  for (;;) {
    const progress = await until(shell, readAgain(), { stop, limitMs: leftMs() });
    if (progress) {
      if (!before || shown(progress) !== shown(before)) shell.out.write(shown(progress));
      before = progress;
      if (progress.code !== undefined) return progress.code;
    }
    if (leftMs() <= 0) {
      shell.err.write(timedOut(before, timeoutMs));
      return EXIT.failed;
    }
    if (await isStopped(shell, Math.min(POLL_INTERVAL_MS, leftMs()), stop)) return exitCodeFor(stop);
  }
}

/** Says what was waited for. */
function timedOut(before: Progress | undefined, timeoutMs: number): string {
  const waitedFor = before?.text.trimEnd() ?? "no answer from the server; check that it runs";
  return `capstan: gave up after ${humanDuration(timeoutMs)}: ${waitedFor}\n`;
}

const EMPHASIS: Emphasis = [
  [/ is rolled out: /, "good"],
  [/ has failed: /, "bad"],
  [/^(blocked|\S+), \w+/, "bad"],
  [/^note: /, "warn"],
];

/** The exit code; undefined while the rollout has not ended. */
function verdictOn({ isDone, failure }: RolloutState, { isWatching }: Patience): number | undefined {
  if (isDone) return EXIT.done;
  return failure !== undefined || !isWatching ? EXIT.failed : undefined;
}

/** A refusal becomes a failure when the next read finds it, too, and is printed then. */
function shownFailure({ failure, refusal }: RolloutState, { isWatching }: Patience): string | undefined {
  return failure ?? (isWatching ? refusal?.why : undefined);
}

/** Shows a pool until Ctrl-C. Without a terminal the caller is a script, so it ends with the rollout. */
export function showRollout(shell: Shell, readState: ReadState): Promise<number> {
  return shell.out.isTerminal
    ? drawRollout(shell, readState)
    : awaitRollout(shell, readState, { isWatching: true });
}

function drawRollout(shell: Shell, readState: ReadState): Promise<number> {
  let pace: Pace | undefined;
  const readText = async (rows: number): Promise<string> => {
    const state = await readState();
    pace = paceAfter(pace, momentOf(state));
    return rolloutTree(state, { rows, pace });
  };
  return draw(shell, readText, TREE_EMPHASIS);
}

/** How the lines of both trees, of pools and of owners, are painted. */
export const TREE_EMPHASIS: Emphasis = [
  [/^\S.* \S+\/\S+, model /, "strong"],
  [/^[├└]── (blocked|\S+), \w+/, "bad"],
  [/, in trouble/, "bad"],
  [/, not available/, "warn"],
  [/^[├└]── (up to date|took)/, "good"],
  [/^[├└]── (update failed|[A-Z]\w+: )/, "bad"],
  [/^[├└]── (outdated|updating|leaving|starting)/, "warn"],
];

function linesFor(state: RolloutState, shown: string | undefined): string {
  const troubles = [...obstacleLines(state, shown), ...machineTroubles(state)];
  return `${[sentenceFor(state), ...troubles, ...noteLines(state)].join("\n")}\n`;
}
