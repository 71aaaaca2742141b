import type { Env } from "@capstan/env";

/** Somewhere to write text for people or programs. */
export interface Terminal {
  write(text: string): void;
  /** Writes a text in place of the screen, or of the line, that is there. */
  redraw(text: string, what: keyof typeof CLEARED): void;
  /** Whether a person reads this: ticks and colours are for people. */
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** What clears a terminal before it is written to again. */
export const CLEARED = {
  /** Moves to the upper left corner first. */
  screen: "\u001B[H\u001B[J",
  line: "\r\u001B[K",
} as const;

// The traditional size of a terminal.
const USUAL_COLUMNS = 80;
const USUAL_ROWS = 24;

/** The width of a terminal; one that does not know its size reports 0, and a pipe nothing. */
export function columnsOf(said: number | undefined): number {
  return said === undefined || said === 0 ? USUAL_COLUMNS : said;
}

/** The height of a terminal, likewise. */
export function rowsOf(said: number | undefined): number {
  return said === undefined || said === 0 ? USUAL_ROWS : said;
}

/** What a command gets from its process. Tests pass their own. */
export interface Shell {
  readonly env: Env;
  readonly out: Terminal;
  readonly err: Terminal;
  /** The environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start. */
  readonly workingFolder: string;
  readonly pid: number;
  /** When the process began, on the monotonic clock. */
  readonly beganMs: number;
  /** The file of this program, to start more processes of it; without one, all work is done in this process. */
  readonly program?: string;
  /** Asks a process to end; throws as `process.kill` does. */
  terminate(pid: number): void;
  /** After the first call, Ctrl-C and similar signals abort this signal instead of ending the process. */
  stopSignal(): AbortSignal;
}
