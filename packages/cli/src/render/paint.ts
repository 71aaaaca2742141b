import type { Shell, Terminal } from "../shell.ts";

/** Emphasis, on a terminal; plain text elsewhere. */
export interface Paint {
  readonly tick: string;
  strong(text: string): string;
  faint(text: string): string;
}

const PLAIN: Paint = { tick: "", strong: (text) => text, faint: (text) => text };

const style =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001B[${on}m${text}\u001B[${off}m`;

/** How to write to a terminal. NO_COLOR, if set to anything, disables the colours but not the ticks. */
export function paintFor({ isTerminal }: Terminal, variables: Shell["variables"]): Paint {
  if (!isTerminal) return PLAIN;
  if (variables["NO_COLOR"]) return { ...PLAIN, tick: "✓ " };
  return { tick: `${style(32, 39)("✓")} `, strong: style(1, 22), faint: style(2, 22) };
}

/** The next commands to try, each on a line of its own to be copied. */
export function tryNext(commands: readonly string[], paint: Paint): string {
  return `\nTry next:\n${commands.map((command) => `  ${paint.strong(command)}\n`).join("")}`;
}
