import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SourceFile } from "./rules.ts";
import { unusedExceptions, wordViolations } from "./words.ts";

const files = ["packages/*/src/**/*.ts", "test/**/*.ts", "tools/**/*.ts"]
  .flatMap((pattern) => globSync(pattern))
  .filter((path) => !path.includes("/fixtures/"))
  .map((path): SourceFile => ({ path, text: readFileSync(path, "utf8") }));

test("every declared name is a plain word", () => {
  const found = files.flatMap(wordViolations).map(({ path, line, message }) => `${path}:${line} ${message}`);
  expect(found).toEqual([]);
});

test("every exception is still needed", () => {
  expect(unusedExceptions(files)).toEqual([]);
});

test.each([
  ["a variable", "const wish = 1;"],
  ["a pattern", "const { plan: { wish }, ...rest } = pool;"],
  ["a parameter with a default", "export const f = (a: string, wish = 2) => wish;"],
  ["a function", "function wish() {}"],
  ["a method", "class A { #wish() {} }"],
  ["a property of a type", "interface A { readonly wish: string }"],
])("%s that is called by a word of the list is found", (_, text) => {
  expect(wordViolations({ path: "a.ts", text }).map(({ message }) => message)).toEqual([
    '"wish" is not plain; write desired',
  ]);
});

test("the product names the desired state by one word", () => {
  const found = (path: string) => wordViolations({ path, text: "const wantedHash = 1;" });
  expect(found("packages/manager/src/a.ts").map(({ message }) => message)).toEqual([
    '"wantedHash" is not plain; write desired',
  ]);
  expect(found("packages/apiserver/src/a.ts")).toEqual([]);
});

test("a name that is used and not declared is left alone", () => {
  expect(wordViolations({ path: "a.ts", text: "call(pool.wish, { wish: 1 });" })).toEqual([]);
});
