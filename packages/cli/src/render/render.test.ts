import { describe, expect, test } from "vitest";
import { quoted, size } from "./amounts.ts";
import { codeSpan } from "./code-span.ts";
import { paintFor } from "./paint.ts";
import { facts, row, table } from "./table.ts";
import { tree } from "./tree.ts";

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
  const terminal = (isTerminal: boolean) => ({ isTerminal, write: () => undefined, columns: 80 });
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
