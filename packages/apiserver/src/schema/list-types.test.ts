import { describe, expect, test } from "vitest";
import { listTypeProblems } from "./list-types.ts";
import { compileSchema } from "./node.ts";

const text = { type: "string" };
const setOf = (items: object): object => ({ type: "array", "x-kubernetes-list-type": "set", items });
const mapBy = (keys: string[]): object => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  items: { type: "object", properties: Object.fromEntries(keys.map((key) => [key, text])) },
});

function problemsOf(schema: object, value: unknown): string[] {
  const node = compileSchema({ type: "object", properties: { list: schema } });
  return listTypeProblems(node, { list: value }).map(({ field, message }) => `${field}: ${message}`);
}

describe("lists with a type", () => {
  test.each<[string, object, unknown, string[]]>([
    [
      "a set reports the first duplicate only",
      setOf(text),
      ["a", "b", "a", "a"],
      ['list[2]: Duplicate value: "a"'],
    ],
    [
      "a set compares objects regardless of the order of their fields",
      setOf({ type: "object" }),
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['list[1]: Duplicate value: {"a":1,"b":2}'],
    ],
    ['1 and "1" are not the same', setOf({}), [1, "1"], []],
    [
      "a map compares the keys",
      mapBy(["name"]),
      [
        { name: "a", v: 1 },
        { name: "a", v: 2 },
      ],
      ['list[1]: Duplicate value: {"name":"a"}'],
    ],
    [
      "several keys count together",
      mapBy(["port", "proto"]),
      [
        { port: 1, proto: "x" },
        { port: 1, proto: "y" },
        { proto: "x", port: 1 },
      ],
      ['list[2]: Duplicate value: {"port":1,"proto":"x"}'],
    ],
    ["missing keys are the same", mapBy(["name"]), [{}, null], ["list[1]: Duplicate value: {}"]],
    [
      "a map holds objects",
      mapBy(["name"]),
      ["x"],
      ['list[0]: Invalid value: "x": must be an object for an array of list-type map'],
    ],
    [
      "a list is not an object, for any key",
      mapBy(["0"]),
      [["x"], ["y"]],
      ['list[0]: Invalid value: ["x"]: must be an object for an array of list-type map'],
    ],
    ["keys of JavaScript's own are keys", mapBy(["constructor"]), [{}, { constructor: "a" }], []],
    [
      "lists are found in maps",
      { type: "object", additionalProperties: setOf(text) },
      { k: ["a", "a"] },
      ['list[k][1]: Duplicate value: "a"'],
    ],
  ])("%s", (_, schema, value, expected) => {
    expect(problemsOf(schema, value)).toEqual(expected);
  });
});
