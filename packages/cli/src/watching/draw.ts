import { type Emphasis, emphasized } from "../render/emphasis.ts";
import { paintFor } from "../render/paint.ts";
import { cutAt } from "../render/width.ts";
import type { Shell, Terminal } from "../shell.ts";
import { exitCodeFor } from "../signals.ts";
import { retryingReader } from "./retrying-reader.ts";
import { isStopped, POLL_INTERVAL_MS, until } from "./wait.ts";

/** Draws a text over the previous one whenever it changes, until Ctrl-C. The text gets the number of lines it may have. */
export async function draw(
  shell: Shell,
  readText: (rows: number) => Promise<string>,
  emphasis: Emphasis = [],
): Promise<number> {
  const stop = shell.stopSignal();
  let before = "";
  const say = (text: string): void => {
    shell.out.write(clipped(text, shell.out));
    // The next answer is drawn over this, even if it equals the previous one.
    before = "";
  };
  const monotonic = (): number => shell.env.clock.monotonic();
  // The cursor is on a line of its own.
  const readAgain = retryingReader(() => readText(shell.out.rows - 1), {
    monotonic,
    say,
    isEnding: () => stop.aborted,
  });
  for (;;) {
    const drawn = await until(shell, readAgain(), { stop });
    if (drawn !== undefined) {
      const text = clipped(drawn, shell.out);
      const paint = paintFor(shell.out, shell.variables);
      if (text !== before) shell.out.redraw(emphasized(text, emphasis, paint), "screen");
      before = text;
    }
    if (await isStopped(shell, POLL_INTERVAL_MS, stop)) return exitCodeFor(stop);
  }
}

/** Cuts long lines and those below the window: both would scroll what is above them away. */
function clipped(text: string, { columns, rows }: Terminal): string {
  return text
    .trimEnd()
    .split("\n")
    .slice(0, rows - 1)
    .map((line) => `${cutAt(line, columns)}\n`)
    .join("");
}
