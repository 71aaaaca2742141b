import { describe, expect, test } from "vitest";
import { quoted, size } from "./amounts.ts";
import { codeSpan } from "./code-span.ts";
import { testShell } from "../shell.fixture.ts";
import { forWindow } from "./emphasis.ts";
import { onOneLine } from "./one-line.ts";
import { paintFor } from "./paint.ts";
import { facts, row, table, tableWithin } from "./table.ts";
import { tree } from "./tree.ts";
import { fitted, widthFor } from "./width.ts";

test("a table has columns as wide as their widest cell, and no spaces at the end of a line", () => {
  expect(
    table(
      ["NAME", "READY"],
      [
        ["management", "True"],
        ["east", ""],
      ],
    ),
  ).toBe("NAME         READY\nmanagement   True\neast\n");
  expect(
    facts([
      ["pid", "12"],
      ["data directory", "/d"],
    ]),
  ).toBe("pid              12\ndata directory   /d\n");
});

test("a line of its own has the widths it is given, and a long cell moves the rest", () => {
  expect(row(["a", "b", ""], [3, 1, 4])).toBe("a     b\n");
  expect(row(["abcdef", "b"], [3, 1])).toBe("abcdef   b\n");
});

test("a tree attaches every part to its parent", () => {
  const leaf = (text: string) => ({ text, parts: [] });
  expect(
    tree({
      text: "root",
      parts: [
        { text: "a", parts: [leaf("b"), leaf("c")] },
        { text: "d", parts: [leaf("e")] },
      ],
    }),
  ).toBe("root\n├── a\n│   ├── b\n│   └── c\n└── d\n    └── e\n");
});

test.each([
  ["a", "`a`"],
  ["a `b`c", "``a `b`c``"],
  ["``a", "``` ``a ```"],
  ["a`", "`` a` ``"],
])("the text %s is the code %s of Markdown", (text, code) => {
  expect(codeSpan(text)).toBe(code);
});

test.each([
  [0, "0 bytes"],
  [1023, "1023 bytes"],
  [1024, "1.0 KiB"],
  [3_565_158, "3.4 MiB"],
  [5 * 2 ** 40, "5120.0 GiB"],
])("%i bytes are %s", (bytes, text) => {
  expect(size(bytes)).toBe(text);
});

test.each([
  ["/a/b-c_d.e", "/a/b-c_d.e"],
  ["/a b", "'/a b'"],
  ["/it's", String.raw`'/it'\''s'`],
  ["/$HOME", "'/$HOME'"],
])("the path %s is the word %s", (path, word) => {
  expect(quoted(path)).toBe(word);
});

describe("paint", () => {
  const terminal = (isTerminal: boolean) => ({
    isTerminal,
    write: () => undefined,
    redraw: () => undefined,
    columns: 80,
    rows: 24,
  });
  test("is for terminals", () => {
    const looks = (isTerminal: boolean, variables: Record<string, string>): string => {
      const paint = paintFor(terminal(isTerminal), variables);
      return `${paint.tick}${paint.strong("x")}`;
    };
    expect(looks(false, {})).toBe("x");
    expect(looks(true, { NO_COLOR: "1" })).toBe("✓ x");
    expect(looks(true, { NO_COLOR: "" })).toBe("\u001B[32m✓\u001B[39m \u001B[1mx\u001B[22m");
  });
});

test.each([
  ["COLUMNS before the window", { COLUMNS: "60" }, true, 60],
  ["the window", {}, true, 100],
  ["the window, if COLUMNS is not a number", { COLUMNS: "wide" }, true, 100],
  ["nothing, for a pipe", {}, false, Number.POSITIVE_INFINITY],
])("the width of a table comes from %s", (_, variables, isTerminal, columns) => {
  const out = { isTerminal, write: () => undefined, redraw: () => undefined, columns: 100, rows: 24 };
  expect(widthFor({ out, variables })).toBe(columns);
});

test.each([
  ["a line that fits", "one two", "one two"],
  ["words below their line", "  one two three four", "  one two\n    three\n    four"],
  ["a branch of a tree", "├── one two three", "├── one\n│     two\n│     three"],
  ["a fact below its value", "name   one two", "name   one\n       two"],
  ["a word that is wider than the window", "  abcdefghijklmnop qr", "  abcdefghijklmnop\n    qr"],
  ["colours, which take no room", "\u001B[1mone\u001B[22m two thr", "\u001B[1mone\u001B[22m two thr"],
])("a window of 11 columns shows %s", (_, text, lines) => {
  expect(fitted(text, 11)).toBe(lines);
});

test("colours are for lines on a terminal, and a folded line keeps its indent", () => {
  const terminal = testShell({ isTerminal: true, variables: { COLUMNS: "14" } });
  const rules = [[/^ *blocked: /, "bad"]] as const;
  expect(forWindow(terminal, "a\n  blocked: b c d", rules)).toBe(
    "a\n\u001B[31m  blocked: b\n    c d\u001B[39m",
  );
  expect(forWindow(testShell(), "  blocked: b c d", rules)).toBe("  blocked: b c d");
});

test("a table leaves out the least important columns until it fits, and no others", () => {
  const print = (columns: number) =>
    tableWithin(["NAME", "SERVER", "READY"], [["quay", "https://127.0.0.1", "True"]], {
      columns,
      dispensable: ["SERVER"],
    });
  expect(print(80)).toContain("https://127.0.0.1");
  expect(print(31)).toBe("NAME   READY\nquay   True\n");
  expect(print(5)).toBe("NAME   READY\nquay   True\n");
});

test("a message that is too long for its line is cut between words", () => {
  expect(onOneLine("the infrastructure is not ready yet", 24)).toBe("the infrastructure is ...");
  expect(onOneLine("x".repeat(9), 4)).toBe("xxxx ...");
});
