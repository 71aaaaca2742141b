import type { OutputForm } from "../render/output.ts";
import type { Shell } from "../shell.ts";
import { exitCodeFor } from "../signals.ts";
import { draw } from "./draw.ts";
import { retryingReader } from "./retrying-reader.ts";
import { isStopped, POLL_INTERVAL_MS, until } from "./wait.ts";

/** How an answer is read and printed. */
export interface WatchedAnswer<T> {
  readonly read: () => Promise<T>;
  readonly print: (answer: T) => string | Promise<string>;
  /** The part of it whose changes matter; ages do not. */
  readonly essence: (answer: T) => unknown;
  readonly output: OutputForm;
}

/** Shows an answer until Ctrl-C: on a terminal over the previous one, elsewhere again after each change. */
export async function watchAnswer<T>(shell: Shell, watched: WatchedAnswer<T>): Promise<number> {
  const { read, print, output } = watched;
  if (shell.out.isTerminal && output === undefined) return await draw(shell, async () => print(await read()));
  return await printChanges(shell, watched);
}

async function printChanges<T>(
  shell: Shell,
  { read, print, essence, output }: WatchedAnswer<T>,
): Promise<number> {
  const stop = shell.stopSignal();
  const readAgain = retryingReader(read, {
    monotonic: () => shell.env.clock.monotonic(),
    say: (text) => shell.err.write(`capstan: ${text}`),
    isEnding: () => stop.aborted,
  });
  const between = output === "yaml" ? "---\n" : output === "json" ? "" : "\n";
  let before: string | undefined;
  for (;;) {
    const answer = await until(shell, readAgain(), { stop });
    const now = answer === undefined ? before : JSON.stringify(essence(answer));
    if (answer !== undefined && now !== before)
      shell.out.write((before === undefined ? "" : between) + (await print(answer)));
    before = now;
    if (await isStopped(shell, POLL_INTERVAL_MS, stop)) return exitCodeFor(stop);
  }
}
