import { humanDuration } from "@capstan/apiserver/human-duration";
import { type Emphasis, emphasized, forWindow } from "../render/emphasis.ts";
import { paintFor } from "../render/paint.ts";
import type { Shell, Terminal } from "../shell.ts";
import { aborted, exitCodeFor } from "../signals.ts";
import { machineTroubles, obstacleLines } from "./obstacles.ts";
import { type Pace, paceAfter } from "./pace.ts";
import { type ReadState, retryingReader } from "./state-reader.ts";
import { confirmed, noteLines, type RolloutState, sentenceFor } from "./rollout-state.ts";
import { rolloutTree } from "./rollout-tree.ts";
import { EXIT } from "../exit-codes.ts";

// As often as users look; a rollout takes minutes.
const POLL_INTERVAL_MS = 2000;

/** How long to wait for a rollout. */
export interface Patience {
  /** Reads the state once, if false. */
  readonly isWatching: boolean;
  readonly timeoutMs?: number | undefined;
}

/** Prints a line for every change, until the rollout is done, has failed or takes too long. */
export async function awaitRollout(shell: Shell, readState: ReadState, patience: Patience): Promise<number> {
  let earlier: RolloutState | undefined;
  const read = async (): Promise<Progress> => {
    earlier = confirmed(await readState(), earlier);
    const text = linesFor(earlier, shownFailure(earlier, patience));
    return { text, code: verdictOn(earlier, patience) };
  };
  return await followProgress(shell, read, patience);
}

/** How far the rollout of an object is. */
export interface Progress {
  /** What is printed when it differs from the last text. */
  readonly text: string;
  /** The exit code; undefined while the rollout has not ended. */
  readonly code: number | undefined;
}

/** Prints the progress of a rollout whenever it changes, until it ends or takes too long. */
export async function followProgress(
  shell: Shell,
  readProgress: () => Promise<Progress>,
  { timeoutMs = Number.POSITIVE_INFINITY }: Pick<Patience, "timeoutMs">,
): Promise<number> {
  const { clock } = shell.env;
  const stop = shell.stopSignal();
  const beganMs = clock.monotonic();
  const leftMs = (): number => timeoutMs - (clock.monotonic() - beganMs);
  const monotonic = (): number => clock.monotonic();
  const say = (text: string): void => shell.err.write(`capstan: ${text}`);
  const readAgain = retryingReader(readProgress, { monotonic, say });
  let before: Progress | undefined;
  for (;;) {
    const progress = await until(shell, readAgain(), { stop, limitMs: leftMs() });
    if (progress) {
      if (progress.text !== before?.text) shell.out.write(forWindow(shell, progress.text, EMPHASIS));
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
  return draw(shell, async (rows) => {
    const state = await readState();
    pace = paceAfter(pace, state);
    return rolloutTree(state, { rows, pace });
  });
}

/** Draws a text over the previous one whenever it changes, until Ctrl-C. The text gets the number of lines it may have. */
export async function draw(shell: Shell, readText: (rows: number) => Promise<string>): Promise<number> {
  const stop = shell.stopSignal();
  let before = "";
  const say = (text: string): void => {
    shell.out.write(clipped(text, shell.out));
    // The next answer is drawn over this, even if it equals the previous one.
    before = "";
  };
  const monotonic = (): number => shell.env.clock.monotonic();
  // The cursor is on a line of its own.
  const readAgain = retryingReader(() => readText(shell.out.rows - 1), { monotonic, say });
  for (;;) {
    const drawn = await until(shell, readAgain(), { stop });
    if (drawn !== undefined) {
      const text = clipped(drawn, shell.out);
      if (text !== before) shell.out.redraw(painted(shell, text), "screen");
      before = text;
    }
    if (await isStopped(shell, POLL_INTERVAL_MS, stop)) return exitCodeFor(stop);
  }
}

const TREE_EMPHASIS: Emphasis = [
  [/^\S.* \S+\/\S+, model /, "strong"],
  [/^[├└]── (blocked|\S+), \w+/, "bad"],
  [/, not available/, "bad"],
  [/^[├└]── (up to date|took)/, "good"],
  [/^[├└]── (update failed|[A-Z]\w+: )/, "bad"],
  [/^[├└]── (outdated|updating|leaving|starting)/, "warn"],
];

function painted(shell: Shell, text: string): string {
  return emphasized(text, TREE_EMPHASIS, paintFor(shell.out, shell.variables));
}

/** Cuts long lines and those below the window: both would scroll what is above them away. */
function clipped(text: string, { columns, rows }: Terminal): string {
  return text
    .trimEnd()
    .split("\n")
    .slice(0, rows - 1)
    .map((line) => (line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line))
    .map((line) => `${line}\n`)
    .join("");
}

function linesFor(state: RolloutState, shown: string | undefined): string {
  const troubles = [...obstacleLines(state, shown), ...machineTroubles(state)];
  return `${[sentenceFor(state), ...troubles, ...noteLines(state)].join("\n")}\n`;
}

/** The answer of a read; undefined if the command is interrupted or takes too long before it comes. */
async function until<T>(
  { env }: Shell,
  reading: Promise<T>,
  { stop, limitMs = Number.POSITIVE_INFINITY }: { readonly stop: AbortSignal; readonly limitMs?: number },
): Promise<T | undefined> {
  const late = new AbortController();
  const timer = env.clock.timer(limitMs, () => late.abort());
  const givenUp = aborted(AbortSignal.any([stop, late.signal]));
  try {
    return await Promise.race([reading, givenUp.then(() => undefined)]);
  } finally {
    timer.cancel();
    // Otherwise Node keeps the combined signal of every read until the command is stopped.
    late.abort();
  }
}

async function isStopped(shell: Shell, delayMs: number, stop: AbortSignal): Promise<boolean> {
  try {
    await shell.env.clock.sleep(delayMs, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
  return stop.aborted;
}
