/** Conversions that Cluster API's own functions made once: ours still give the same. `npm run interop -- --record` writes them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "@capstan/api";
import { describe, expect, test } from "vitest";
import { convertOurs, differences, type RecordedPair, WAYS } from "../interop/conversion-pairs.ts";
import { judged } from "../interop/table.ts";
import { CONVERSION_DIFFERENCES } from "../interop/tables/oracle-differences.ts";
import { SHARED_KINDS } from "../interop/upstream-crds.ts";

// What Go's types print for a value that is not set.
const ZEROS: ReadonlySet<unknown> = new Set(["", 0, false, null, "0s"]);

/** A value without what is not set: Go prints some zeros and drops others, and only Go knows which. */
function tidied(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => tidied(item));
  if (!isJsonObject(value))
    return ZEROS.has(value) || (name === "divisor" && value === "0") ? undefined : value;
  const fields = Object.entries(value)
    .map(([key, field]) => [key, tidied(field, key)] as const)
    .filter(([, field]) => field !== undefined);
  return fields.length === 0 ? undefined : Object.fromEntries(fields);
}

function parts(object: JsonObject): JsonObject {
  return { spec: tidied(object["spec"]) ?? {}, status: tidied(object["status"]) ?? {} };
}

describe.each(SHARED_KINDS.map((kind) => ({ name: kind.kind, kind })))(
  "recorded pairs of $name",
  ({ kind }) => {
    const file = join(import.meta.dirname, "recorded", `${kind.kind.toLowerCase()}.jsonl`);
    const pairs = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RecordedPair);

    test.each(WAYS)("are twenty on the way %s", (way) => {
      expect(pairs.filter((pair) => pair.way === way)).toHaveLength(20);
    });

    test("are what our conversion gives, apart from the listed differences", () => {
      const lines = pairs.flatMap(({ way, object, upstream }) =>
        differences(parts(convertOurs(kind, way, object)), parts(upstream)).map(
          (line) => `${kind.kind} ${way} ${line}`,
        ),
      );
      expect(judged(lines, CONVERSION_DIFFERENCES).unlisted).toEqual([]);
    });
  },
);
