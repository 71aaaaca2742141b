import { parseYaml } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type YamlValue, yamlOf } from "./yaml-text.ts";

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "grapheme" }),
  fc.string({
    unit: fc.constantFrom("a", " ", "\n", "'", '"', ":", "#", "-", "\t", "\\", "{{", "}}", "|", "é"),
  }),
  fc.constantFrom(
    "true",
    "No",
    "null",
    "0640",
    "1e3",
    "~",
    "",
    "- a",
    "a: b",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`",
  ),
);
const value: fc.Arbitrary<YamlValue> = fc.letrec<{ value: YamlValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.integer(),
    fc.boolean(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(
      text.filter((key) => key !== "__proto__" && !key.includes("\0")),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;

describe("a value printed as YAML", () => {
  test("parses to the same value", () => {
    fc.assert(
      fc.property(value, (one) => {
        fc.pre(!JSON.stringify(one).includes("\\u0000"));
        expect(parseYaml(yamlOf([one]))).toEqual([one]);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [{ name: "{{ ds.meta_data.hostname }}" }, "name: '{{ ds.meta_data.hostname }}'\n"],
    [{ name: '{{ ds["hostname"] }}' }, "name: '{{ ds[\"hostname\"] }}'\n"],
    [{ name: "{{ ds['hostname'] }}" }, "name: \"{{ ds['hostname'] }}\"\n"],
    [{ name: `{{ ds['a']["b"] }}` }, `name: |-\n  {{ ds['a']["b"] }}\n`],
    [[`echo '{{ a["b"] }}' \\\n  c`], `- |-\n  echo '{{ a["b"] }}' \\\n    c\n`],
    [{ content: `  {{ a["b"] }} 'c'\n` }, `content: |2\n    {{ a["b"] }} 'c'\n`],
  ])("keeps the expressions of a template unchanged: %j", (one, printed) => {
    expect(yamlOf(one)).toBe(printed);
  });

  test("omits undefined values and prints empty ones", () => {
    expect(yamlOf({ a: undefined, b: [], c: {}, d: { e: undefined }, f: "" })).toBe(
      "b: []\nc: {}\nd: {}\nf: ''\n",
    );
  });

  test("quotes strings that YAML would not parse as strings", () => {
    expect(yamlOf(["0640", "yes", "12", "root:root", "/run/x"])).toBe(
      "- '0640'\n- 'yes'\n- '12'\n- root:root\n- /run/x\n",
    );
  });
});
