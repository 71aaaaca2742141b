import type { Shell, Terminal } from "../shell.ts";

/** Emphasis, on a terminal; plain text elsewhere. */
export interface Paint {
  readonly tick: string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  /** What is as desired. */
  readonly good: (text: string) => string;
  /** What is on its way, or may need attention. */
  readonly warn: (text: string) => string;
  /** What a user must repair. */
  readonly bad: (text: string) => string;
}

const asIs = (text: string): string => text;

/** No emphasis. */
export const PLAIN: Paint = { tick: "", strong: asIs, faint: asIs, good: asIs, warn: asIs, bad: asIs };

const style =
  (on: number, off: number) =>
  (text: string): string =>
    `\u001B[${on}m${text}\u001B[${off}m`;

const COLOURS: Omit<Paint, "tick"> = {
  strong: style(1, 22),
  faint: style(2, 22),
  good: style(32, 39),
  warn: style(33, 39),
  bad: style(31, 39),
};

/** How to write to a terminal. NO_COLOR, if set to anything, disables the colours but not the ticks. */
export function paintFor({ isTerminal }: Terminal, variables: Shell["variables"]): Paint {
  if (!isTerminal) return PLAIN;
  if (variables["NO_COLOR"]) return { ...PLAIN, tick: "✓ " };
  return { ...COLOURS, tick: `${COLOURS.good("✓")} ` };
}

/** The next commands to try, each on a line of its own to be copied. */
export function tryNext(commands: readonly string[], paint: Paint): string {
  return `\nTry next:\n${commands.map((command) => `  ${paint.strong(command)}\n`).join("")}`;
}
