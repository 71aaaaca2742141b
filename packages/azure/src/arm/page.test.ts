import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "@capstan/api";
import { parseJson } from "./json.ts";
import { readPage } from "./page.ts";

/** The items of a page without any recognized item. */
function readAll(text: string): { page: ReturnType<typeof readPage>; items: JsonObject[]; texts: string[] } {
  const items: JsonObject[] = [];
  const texts: string[] = [];
  const take = (item: JsonObject, itself: string): void => {
    items.push(item);
    texts.push(itself);
  };
  return { page: readPage(text, { take }), items, texts };
}

const items = fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), { maxLength: 5 });
const indents = fc.constantFrom(undefined, 2, "\t");

describe("a page", () => {
  test("is parsed like JSON, with any content and formatting", () => {
    fc.assert(
      fc.property(items, indents, fc.option(fc.webUrl(), { nil: undefined }), (value, indent, nextLink) => {
        const text = JSON.stringify({ count: value.length, value, nextLink, "va\\lue": [1] }, null, indent);
        const read = readAll(text);
        expect(read.items).toEqual((parseJson(text) as { value: unknown }).value);
        expect(read.texts.map(parseJson)).toEqual(read.items);
        expect(read.page).toEqual(nextLink === undefined ? {} : { nextLink });
      }),
    );
  });

  test("may have nextLink before its items, and start with a byte order mark", () => {
    const read = readAll('\uFEFF { "nextLink" : "x" , "value" : [ {"a":"}]\\\\\\""} ] } ');
    expect(read.page).toEqual({ nextLink: "x" });
    expect(read.items).toEqual([{ a: '}]\\"' }]);
    expect(read.texts).toEqual(['{"a":"}]\\\\\\""}']);
  });

  test("has no next page if nextLink is empty or not a string", () => {
    expect(readAll('{"value":[],"nextLink":""}').page).toEqual({});
    expect(readAll('{"value":[],"nextLink":null}').page).toEqual({});
  });

  test("keeps numbers that would lose digits", () => {
    const { items: read } = readAll('{"value":[{"n":12345678901234567890}]}');
    expect(JSON.stringify(read)).toBe('[{"n":12345678901234567890}]');
  });

  test("skips recognized items and parses the others", () => {
    const taken: JsonObject[] = [];
    const known = '{"id":"known","deep":[{}]}';
    const page = readPage(`{"value":[${known},{"id":1},${known}],"nextLink":"x"}`, {
      recognize: (text, from) => (text.startsWith(known, from) ? known.length : 0),
      take: (item) => taken.push(item),
    });
    expect(taken).toEqual([{ id: 1 }]);
    expect(page).toEqual({ nextLink: "x" });
  });

  test.each(["{}", '{"values":[]}', '{"nextLink":"x"}'])("%s has no items", (text) => {
    expect(readAll(text).page).toBeUndefined();
  });

  test.each([
    "",
    "null",
    "[]",
    '"value"',
    '{"value":{}}',
    '{"value":null}',
    '{"value":[1]}',
    '{"value":[{}]',
    '{"value":[{}}',
    '{"value":[{},]}',
    '{"value":[{} {}]}',
    '{"value":[{"a":1,}]}',
    '{"value":[{"a":"]}',
    '{"value":[]}}',
    '{"value":[],}',
    '{"value" []}',
    "{value:[]}",
    '{"value":[{}]} x',
    "<html>busy</html>",
  ])("%s is none", (text) => {
    expect(() => readAll(text)).toThrow(SyntaxError);
  });
});
