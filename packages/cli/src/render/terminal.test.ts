import { expect, test } from "vitest";
import { paintFor, tryNext } from "./paint.ts";
import { terminalOf } from "./terminal.ts";

function written(text: string, isTerminal = true): string {
  const parts: string[] = [];
  terminalOf({ write: (part) => parts.push(part) }, isTerminal).write(text);
  return parts.join("");
}

test.each([
  ["the title of the window", "\u001B]0;mine\u0007", "^[]0;mine^G"],
  ["the clipboard", "\u001B]52;c;cm0gLXJm\u001B\\", "^[]52;c;cm0gLXJm^[\\"],
  ["lines above", "a\u001B[1A\u001B[2Kb", "a^[[1A^[[2Kb"],
  ["hidden text", "\u001B[8msecret\u001B[28m", "^[[8msecret^[[28m"],
  ["a line from its start", "broken\rfine", "broken^Mfine"],
  ["the screen, in the middle of a text", "x\u001B[H\u001B[J", "x^[[H^[[J"],
  ["sequences of eight bits", "\u009B2J\u009D0;x\u009C", "\\u009b2J\\u009d0;x\\u009c"],
  ["the direction of a line", "a\u202Eb\u2066c", "a\\u202eb\\u2066c"],
  ["earlier characters, and nothing", "a\u0008\u007F\u0000", "a^H\\u007f^@"],
])("a window shows a message that would change %s as plain text", (_, text, expected) => {
  expect(written(text)).toBe(expected);
});

test("a window gets what commands write themselves", () => {
  const paint = paintFor(
    { isTerminal: true, columns: 80, rows: 24, write: () => undefined, redraw: () => undefined },
    {},
  );
  const { strong, faint, good, warn, bad } = paint;
  const painted = [strong, faint, good, warn, bad].map((style) => style("a")).join("\n\t");
  for (const text of [painted, tryNext(["x"], paint), "é 漢 │"]) expect(written(text)).toBe(text);
});

test("a window is cleared before a text is drawn again, and by nothing in the text", () => {
  const parts: string[] = [];
  const terminal = terminalOf({ write: (part) => parts.push(part) }, true);
  terminal.redraw("\u001B[H\u001B[Ja", "screen");
  terminal.redraw("5 events", "line");
  expect(parts).toEqual(["\u001B[H\u001B[J^[[H^[[Ja", "\r\u001B[K5 events"]);
});

test("a pipe gets each text as it is", () => {
  const text = "\u001B]0;mine\u0007\r\n";
  expect(written(text, false)).toBe(text);
});
