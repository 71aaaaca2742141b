import { expect, test } from "vitest";
import { paintFor } from "./render/paint.ts";
import { testShell } from "./shell.fixture.ts";
import { columnsOf, readable } from "./shell.ts";

test("a terminal of unknown width has the default width", () => {
  expect([columnsOf(undefined), columnsOf(0), columnsOf(132)]).toEqual([80, 80, 132]);
});

test.each([
  ["retitles the window", "Ready\u001B]0;owned\u0007", "Ready\\u001b]0;owned\\u0007"],
  ["clears the screen", "\u001B[H\u001B[Jall is well", "\\u001b[H\\u001b[Jall is well"],
  ["hides what follows", "a\u001B[8mb", "a\\u001b[8mb"],
  ["overwrites its line", "failed\rworks", "failed\\u000dworks"],
  ["turns the direction", "image\u202Egnp.exe", "image\\u202egnp.exe"],
  ["uses one character for an escape", "a\u009B2Jb", "a\\u009b2Jb"],
])("a text of others that %s is shown with what it tried", (_, given, shown) => {
  expect(readable(given)).toBe(shown);
});

test("our own colours, tabs and lines stay", () => {
  const { tick, strong, faint, good, warn, bad } = paintFor(testShell({ isTerminal: true }).out, {});
  const ours = `${tick}${[strong, faint, good, warn, bad].map((paint) => paint("x")).join("\t")}\n`;
  expect(readable(ours)).toBe(ours);
});
