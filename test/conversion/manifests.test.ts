/** Random manifests of every kind, converted by `capstan convert`. */
import { customKinds, deepEqual, isJsonObject, type JsonObject, parseYaml } from "@capstan/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { convertText } from "../../packages/cli/src/convert/convert-text.ts";
import { repetitions } from "../sample.ts";
import { objectsOf } from "./kind-objects.ts";

const RUNS = repetitions("manifests of each kind converted", 2, 300);
const LARGEST = 1024 * 1024;

const cases = customKinds
  .filter(({ converted }) => converted.length > 0)
  .flatMap((kind) => {
    const versions = [kind.version, ...kind.converted.map(({ version }) => version)].sort();
    const [older = "", newer = ""] = versions;
    return [
      { kind, way: "up", from: older, version: "older", to: "v1beta2" },
      { kind, way: "down", from: newer, version: "newer", to: "v1beta1" },
    ] as const;
  })
  .map((one) => ({ ...one, name: `${one.kind.kind} ${one.way}` }));

/** A text with a comment above each line that has one of its own number, and at the end of some. */
function commented(text: string): { readonly text: string; readonly comments: readonly string[] } {
  const comments: string[] = [];
  const lines = text.split("\n").map((line, index) => {
    if (!/^\s*(?:- )?[A-Za-z"]+:/.test(line)) return line;
    comments.push(`c${index}`);
    return index % 3 === 0 ? `${line} # c${index}` : `${/^\s*/.exec(line)?.[0] ?? ""}# c${index}\n${line}`;
  });
  return { text: lines.join("\n"), comments };
}

describe.each(cases)("$name", ({ kind, from, version, to }) => {
  const manifests = objectsOf(kind, version).map((object): JsonObject => {
    const { kind: name, ...rest } = object;
    return { apiVersion: `${kind.group}/${from}`, kind: name, ...rest };
  });

  test("has the value that the conversion gives, and each comment once or a warning", () => {
    fc.assert(
      fc.property(manifests, fc.integer({ min: 1, max: 4 }), fc.boolean(), (object, indent, indentSeq) => {
        const source = commented(stringify(object, { indent, indentSeq, aliasDuplicateObjects: false }));
        const plain = convertText({ origin: "a", text: JSON.stringify(object) }, to);
        const result = convertText({ origin: "a", text: source.text }, to);
        const value = parseYaml(result.text, LARGEST);
        if (!deepEqual(value, JSON.parse(plain.text))) expect(value).toEqual(JSON.parse(plain.text));
        expect(isJsonObject(value)).toBe(true);
        for (const comment of source.comments) {
          const count = result.text.split("\n").filter((line) => line.endsWith(`# ${comment}`)).length;
          const isSaid = result.warnings.some((one) => one.includes(`"# ${comment}"`));
          if (count + Number(isSaid) !== 1)
            expect.unreachable(`${comment} is there ${count} times in\n${result.text}\nof\n${source.text}`);
        }
        expect(convertText({ origin: "a", text: result.text }, to).text).toBe(result.text);
      }),
      { numRuns: RUNS },
    );
  });
});
