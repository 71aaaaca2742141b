import { CLEARED, columnsOf, rowsOf, type Terminal } from "../shell.ts";

/** The part of a stream of Node that a terminal needs. */
interface Stream {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** A stream as a terminal. A window shows no control characters but ours; a pipe gets each text as it is. */
export function terminalOf(stream: Stream, isTerminal: boolean): Terminal {
  const shown = (text: string): string => (isTerminal ? shownText(text) : text);
  return {
    write: (text) => void stream.write(shown(text)),
    redraw: (text, what) => void stream.write(CLEARED[what] + shown(text)),
    isTerminal,
    // Read each time: a user may resize the window while a command runs.
    get columns() {
      return columnsOf(stream.columns);
    },
    get rows() {
      return rowsOf(stream.rows);
    },
  };
}

// The colours of `paint.ts`, and all control characters but tab and newline; some change the direction of a line.
const COLOUR_OR_CONTROL =
  // oxlint-disable-next-line no-control-regex -- control characters are what it finds
  /\u001B\[(?:1|2|22|31|32|33|39)m|[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

/**
 * A text with the control characters of others made visible: conditions, events and names come from clusters, and could
 * retitle the window, hide lines or write into the clipboard.
 */
function shownText(text: string): string {
  return text.replaceAll(COLOUR_OR_CONTROL, visible);
}

function visible(found: string): string {
  if (found.length > 1) return found;
  const code = found.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 0x40)}`;
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
