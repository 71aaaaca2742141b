import { type CustomKind, isJsonObject, toConvertedDefinition } from "@capstan/api";
import { clusterApiFolder } from "../programs.ts";
import { judged, type Table } from "../table.ts";
import {
  SHARED_KINDS,
  type UpstreamDefinition,
  upstreamDefinition,
  type UpstreamSchema,
  type UpstreamVersion,
} from "../upstream-crds.ts";
import { CRD_DIFFERENCES } from "./crds-differences.ts";

/** The CRDs of both versions: schemas, defaults, bounds, columns, scale and names are upstream's, or the difference is listed. */
export const crds: Table = {
  name: "crds",
  about: "our CRDs and Cluster API's",
  inputs: ["packages/api/src/**/*.ts", "test/interop/clusterctl/go.mod", "test/interop/tables/crds*.ts"],
  run: () => {
    const sources = clusterApiFolder();
    const lines = SHARED_KINDS.flatMap((kind) =>
      differencesOf(kind, definitionOf(kind), upstreamDefinition(sources, kind)),
    );
    const { unlisted, unseen } = judged(lines, CRD_DIFFERENCES);
    return {
      summary: `${SHARED_KINDS.length} CRDs with ${lines.length} differences, all of ${CRD_DIFFERENCES.length} listed sorts`,
      problems: [...unlisted, ...unseen.map(({ pattern }) => `listed, but never seen: ${String(pattern)}`)],
    };
  },
};

function definitionOf(kind: CustomKind): UpstreamDefinition {
  return JSON.parse(JSON.stringify(toConvertedDefinition(kind))) as UpstreamDefinition;
}

/** What differs, a line each: `KIND VERSION PATH KEYWORD: OURS | UPSTREAM'S`. */
function differencesOf(
  kind: CustomKind,
  ours: UpstreamDefinition,
  upstream: UpstreamDefinition,
): readonly string[] {
  const names = new Set([...ours.spec.versions, ...upstream.spec.versions].map(({ name }) => name));
  const versions = [...names].flatMap((name) => {
    const [own, other] = [ours, upstream].map(({ spec }) => spec.versions.find((one) => one.name === name));
    return compare(factsOf(own), factsOf(other)).map((line) => `${name} ${line}`);
  });
  const whole = compare(namesOf(ours), namesOf(upstream)).map((line) => `names ${line}`);
  return [...versions, ...whole].map((line) => `${kind.kind} ${line}`);
}

/** Facts by name, each as a text. */
type Facts = ReadonlyMap<string, string>;

function compare(ours: Facts, upstream: Facts): readonly string[] {
  return [...new Set([...ours.keys(), ...upstream.keys()])]
    .filter((name) => ours.get(name) !== upstream.get(name))
    .map((name) => `${name}: ${ours.get(name) ?? "absent"} | ${upstream.get(name) ?? "absent"}`);
}

function namesOf({ spec }: UpstreamDefinition): Facts {
  const { shortNames = [], categories = [], ...names } = spec.names;
  const facts = Object.entries(names).map(([name, value]): [string, string] => [name, printed(value)]);
  return new Map([
    ...facts,
    ["scope", spec.scope],
    ...shortNames.map((name): [string, string] => [`shortName ${name}`, "yes"]),
    ...categories.map((name): [string, string] => [`category ${name}`, "yes"]),
  ]);
}

function factsOf(version: UpstreamVersion | undefined): Facts {
  if (!version) return new Map();
  const columns = version.additionalPrinterColumns ?? [];
  const each = columns.map(({ name, type, jsonPath, priority = 0 }): [string, string] => [
    `column ${String(name)} of ${String(jsonPath)}`,
    `${String(type)}, ${priority === 0 ? "always" : "wide"}`,
  ]);
  const subresources = Object.entries(version.subresources ?? {}).map(([name, value]): [string, string] => [
    `subresource ${name}`,
    printed(value),
  ]);
  return new Map([
    ...schemaFacts(version.schema.openAPIV3Schema, ""),
    ...each,
    ["columns", columns.map(({ name }) => String(name)).join(", ")],
    ...subresources,
  ]);
}

/** The keywords of a schema by their paths. Descriptions, and messages of rules, are in our own words. */
function* schemaFacts(schema: UpstreamSchema, path: string): Generator<[string, string]> {
  const { properties, items, additionalProperties, required, description: _, ...keywords } = schema;
  for (const [name, field] of Object.entries(properties ?? {})) yield* schemaFacts(field, `${path}.${name}`);
  if (items) yield* schemaFacts(items, `${path}[]`);
  if (typeof additionalProperties === "object") yield* schemaFacts(additionalProperties, `${path}{}`);
  for (const name of (required ?? []) as readonly string[]) yield [`${path}.${name} required`, "yes"];
  for (const [keyword, value] of Object.entries(keywords)) yield* keywordFacts(keyword, value, path);
}

function* keywordFacts(keyword: string, value: unknown, path: string): Generator<[string, string]> {
  if (keyword === "x-kubernetes-validations")
    for (const { rule } of value as readonly { readonly rule: string }[])
      yield [`${path} rule ${rule.replaceAll(/\s/g, "")}`, "yes"];
  else if (!MEANS_NOTHING.has(`${keyword} ${String(value)}`))
    yield [`${path} ${keyword}`, printed(keyword === "enum" ? [...(value as string[])].sort() : value)];
}

// Keywords that mean the same as their absence.
const MEANS_NOTHING: ReadonlySet<string> = new Set([
  "x-kubernetes-list-type atomic",
  "x-kubernetes-map-type granular",
  "minItems 0",
  "minLength 0",
]);

/** JSON with its fields in the order of their names. */
function printed(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
