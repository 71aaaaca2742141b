import type { Shell, Terminal } from "../shell.ts";

/** Words with weight, where somebody looks; plain words elsewhere. */
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

/** How to write to a terminal. NO_COLOR, when it is set to anything, takes the colours but not the ticks. */
export function paintFor({ isTerminal }: Terminal, variables: Shell["variables"]): Paint {
  if (!isTerminal) return PLAIN;
  if (variables["NO_COLOR"]) return { ...PLAIN, tick: "✓ " };
  return { tick: `${style(32, 39)("✓")} `, strong: style(1, 22), faint: style(2, 22) };
}

/** Commands to go on with, each on a line of its own to be copied. */
export function tryNext(commands: readonly string[], paint: Paint): string {
  return `\nTry next:\n${commands.map((command) => `  ${paint.strong(command)}\n`).join("")}`;
}
