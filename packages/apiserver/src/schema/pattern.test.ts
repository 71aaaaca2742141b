import { describe, expect, test } from "vitest";
import { compilePattern } from "./pattern.ts";

describe("a pattern", () => {
  // Checked against kube-apiserver 1.35, which uses Go's regular expressions.
  test.each<[pattern: string, matches: string[], others: string[]]>([
    ["^a.b$", ["axb", "a\rb", "a\u2028b", "a😀b"], ["a\nb"]],
    ["(?s)^a.b$", ["a\nb"], ["ab"]],
    ["^a$", ["a"], ["a\n", "x\na"]],
    ["(?m)^a$", ["x\na\ny"], ["xa"]],
    [String.raw`a\z`, ["ba"], ["a\n"]],
    [String.raw`^\s$`, [" ", "\t", "\f"], ["\v", "\u00a0", "\u2028"]],
    [String.raw`^[^\s]$`, ["\v", "\u00a0"], [" "]],
    [String.raw`^[\w.-]+$`, ["a-b.c_1"], ["é", "a b"]],
    ["(?i)^k$", ["k", "K", "\u212a"], ["l"]],
    ["^(?i:a)b$", ["Ab"], ["AB"]],
    [String.raw`^\pL+$`, ["aéα"], ["1"]],
    [String.raw`\p{Greek}`, ["α"], ["a"]],
    [String.raw`^\p{^Greek}$`, ["a"], ["α"]],
    ["^[[:alpha:]]+$", ["abc"], ["a1", "é"]],
    ["^[[:^alpha:]]$", ["1"], ["a"]],
    ["^[]^-]$", ["]", "^", "-"], ["a"]],
    [String.raw`^\Qa.b\E$`, ["a.b"], ["axb"]],
    [String.raw`^\x41\x{1F600}\102$`, ["A😀B"], ["A"]],
    [String.raw`^\-\_\/\@$`, ["-_/@"], []],
    ["^(?P<name>a|b)*$", ["abab", ""], ["c"]],
    ["x{,2}", ["x{,2}"], ["xx"]],
    ["^.{2}$", ["😀😀"], ["😀"]],
    ["(?U)^a+$", ["aaa"], ["b"]],
  ])("%j matches what it matches in Go", (pattern, matches, others) => {
    const expression = compilePattern(pattern);
    expect(matches.filter((text) => !expression.test(text))).toEqual([]);
    expect(others.filter((text) => expression.test(text))).toEqual([]);
  });

  test.each([
    ["(", "missing closing ): `(`"],
    ["a)", "unexpected ): `a)`"],
    ["[a", "missing closing ]: `[a`"],
    ["[z-a]", "invalid character class range: `z-a`"],
    ["[[:nope:]]", "invalid character class range: `[:nope:]`"],
    ["[[:constructor:]]", "invalid character class range: `[:constructor:]`"],
    [String.raw`\p{Nope}`, String.raw`invalid character class range: ${"`"}\p{Nope}${"`"}`],
    ["*", "missing argument to repetition operator: `*`"],
    ["a**", "invalid nested repetition operator: `**`"],
    ["a{1001}", "invalid repeat count: `{1001}`"],
    ["a{2,1}", "invalid repeat count: `{2,1}`"],
    ["(?=x)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(?<!x)y", "invalid named capture: `(?<!x)y`"],
    ["(?P<n", "invalid named capture: `(?P<n`"],
    [String.raw`\1`, String.raw`invalid escape sequence: ${"`"}\1${"`"}`],
    [String.raw`\y`, String.raw`invalid escape sequence: ${"`"}\y${"`"}`],
    [String.raw`\x{110000}`, String.raw`invalid escape sequence: ${"`"}\x`],
    ["a\\", "trailing backslash at end of expression"],
  ])("%j is refused with Go's message", (pattern, problem) => {
    expect(() => compilePattern(pattern)).toThrow(`error parsing regexp: ${problem}`);
  });

  test("that would take JavaScript forever is decided at once", () => {
    expect(compilePattern("^(a+)+$").test(`${"a".repeat(5000)}b`)).toBe(false);
  });
});
