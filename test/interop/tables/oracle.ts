import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CustomKind, JsonObject } from "@capstan/api";
import fc from "fast-check";
import { objectsOf } from "../../conversion/kind-objects.ts";
import { convertOurs, differences, endsOf, type RecordedPair, type Way, WAYS } from "../conversion-pairs.ts";
import { clusterApiFolder, interopProgram } from "../programs.ts";
import { judged, type Table } from "../table.ts";
import { pruned, SHARED_KINDS, upstreamDefinition } from "../upstream-crds.ts";
import { CONVERSION_DIFFERENCES } from "./oracle-differences.ts";
import { chosenPairs } from "./recorded-pairs.ts";

const OBJECTS = 2000;
const SEED = 33;
const RECORDED = join(import.meta.dirname, "..", "..", "conversion", "recorded");

/** Random objects of each kind and way: our conversion gives the objects that upstream's own functions give. */
export const oracle: Table = {
  name: "oracle",
  about: "our conversion and Cluster API's own functions",
  inputs: [
    "packages/api/src/**/*.ts",
    "test/conversion/{arbitrary-object,kind-objects}.ts",
    "test/interop/oracle/*",
    "test/interop/tables/{oracle*,recorded-pairs}.ts",
  ],
  run: ({ say, isRecording }) => {
    const program = interopProgram("oracle", say);
    const sources = clusterApiFolder();
    const lines = new Map<string, number>();
    const errors: string[] = [];
    for (const kind of SHARED_KINDS) {
      const pairs = WAYS.flatMap((way) => {
        const found = compared({ program, sources, kind, way });
        for (const line of found.lines) lines.set(line, (lines.get(line) ?? 0) + 1);
        errors.push(...found.errors.slice(0, 3));
        return chosenPairs(found.pairs);
      });
      if (isRecording) record(kind, pairs);
    }
    const { unlisted, unseen } = judged(lines.keys(), CONVERSION_DIFFERENCES);
    return {
      summary: `${SHARED_KINDS.length} kinds, ${OBJECTS} objects each way, ${CONVERSION_DIFFERENCES.length} listed differences`,
      problems: [
        ...errors,
        ...unlisted.map((line) => `${line} (${lines.get(line)} times)`),
        ...unseen.map(({ pattern }) => `listed, but never seen: ${String(pattern)}`),
      ],
    };
  },
};

interface Comparison {
  readonly program: string;
  /** Cluster API's sources. */
  readonly sources: string;
  readonly kind: CustomKind;
  readonly way: Way;
}

interface Compared {
  /** What differs, with kind and way. */
  readonly lines: readonly string[];
  readonly errors: readonly string[];
  readonly pairs: readonly RecordedPair[];
}

function compared(comparison: Comparison): Compared {
  const { program, kind, way } = comparison;
  const { from, to } = endsOf(kind, way);
  const objects = randomObjects(comparison);
  const upstream = ask(program, objects, { kind: kind.kind, from, to });
  // Go's types drop empty values and add zeros: both sides are printed by them.
  const converted = objects.map((object) => convertOurs(kind, way, object));
  const ours = ask(program, converted, { kind: kind.kind, from: to, to });
  const errors = [...upstream, ...ours].flatMap(({ error }) =>
    error === undefined ? [] : [`${kind.kind} ${way}: ${error}`],
  );
  const lines = objects.flatMap((_, index) =>
    differences(ours[index]?.object ?? {}, upstream[index]?.object ?? {}).map(
      (line) => `${kind.kind} ${way} ${line}`,
    ),
  );
  const pairs = objects.map((object, index) => {
    const { spec, status } = upstream[index]?.object ?? {};
    return { way, object, upstream: { spec, status } };
  });
  return { lines, errors, pairs };
}

/** Random objects with the fields that upstream has: the table of CRDs lists those that only we have. */
function randomObjects({ sources, kind, way }: Comparison): readonly JsonObject[] {
  const { from } = endsOf(kind, way);
  const { versions } = upstreamDefinition(sources, kind).spec;
  const schema = versions.find(({ name }) => name === from)?.schema.openAPIV3Schema.properties ?? {};
  const { metadata: _, ...parts } = schema;
  return fc
    .sample(objectsOf(kind, way === "up" ? "older" : "newer"), { numRuns: OBJECTS, seed: SEED })
    .map((object) => ({
      ...object,
      ...(pruned({ spec: object["spec"], status: object["status"] }, { properties: parts }) as JsonObject),
      apiVersion: `${kind.group}/${from}`,
    }))
    .map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);
}

interface Answer {
  readonly object?: JsonObject;
  readonly error?: string;
}

function ask(
  program: string,
  objects: readonly JsonObject[],
  request: { readonly kind: string; readonly from: string; readonly to: string },
): readonly Answer[] {
  const input = objects.map((object) => `${JSON.stringify({ ...request, object })}\n`).join("");
  const { stdout, stderr, status } = spawnSync(program, { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`the oracle ended with ${String(status)}: ${stderr}`);
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer);
}

function record({ kind }: CustomKind, pairs: readonly RecordedPair[]): void {
  mkdirSync(RECORDED, { recursive: true });
  const lines = pairs.map((pair) => `${JSON.stringify(pair)}\n`);
  writeFileSync(join(RECORDED, `${kind.toLowerCase()}.jsonl`), lines.join(""));
}
