import fc from "fast-check";
import { expect, test } from "vitest";
import { compileSchema } from "../schema/node.ts";
import { metadataType } from "./built-in-types.ts";
import { difference, EMPTY } from "./field-set.ts";
import { fieldSetOf } from "./field-set-of.ts";
import { readFieldsV1, writeFieldsV1 } from "./fields-v1.ts";
import { leastBytes } from "./least-bytes.ts";
import { mergeTypeOf } from "./merge-type.ts";

const text = { type: "string" };
const item = { type: "object", properties: { name: text, v: text } };
const type = mergeTypeOf(
  compileSchema({
    type: "object",
    properties: {
      keyed: {
        type: "array",
        items: item,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
      },
      set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      plain: { type: "array", items: item },
      map: { type: "object", additionalProperties: text },
      whole: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
      status: { type: "object", additionalProperties: text },
    },
  }),
  metadataType(),
);
const RESET = readFieldsV1({ "f:status": {} }) ?? EMPTY;

const words = fc.string({ maxLength: 6 });
const items = fc.uniqueArray(fc.record({ name: words, v: words }), { selector: ({ name }) => name });
const configs = fc.record(
  {
    keyed: items,
    set: fc.uniqueArray(words),
    plain: items,
    map: fc.dictionary(words, fc.option(words)),
    whole: fc.dictionary(words, words),
    status: fc.dictionary(words, words),
  },
  { requiredKeys: [] },
);

test("an estimate is never more than what the object and the fields of its manager take", () => {
  fc.assert(
    fc.property(configs, (config) => {
      const { status: _, ...stored } = config;
      const owned = writeFieldsV1(difference(fieldSetOf(type, stored), EMPTY));
      const bytes = Buffer.byteLength(JSON.stringify(stored)) + Buffer.byteLength(JSON.stringify(owned));
      expect(leastBytes(type, config, RESET)).toBeLessThanOrEqual(bytes);
    }),
  );
});

test("an estimate counts each field of a map twice, because its manager owns it", () => {
  const map = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, ""]));
  expect(leastBytes(type, { map }, EMPTY)).toBeGreaterThan(1.4 * JSON.stringify({ map }).length);
});
