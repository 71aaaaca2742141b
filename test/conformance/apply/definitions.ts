import { definitionOf, type Sequence } from "./recording.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A change of a definition in the middle of a sequence. */
export interface DefinitionChange {
  readonly beforeStep: number;
  readonly definition: Schema;
}

/** The definitions that a sequence needs, and how one of them changes meanwhile. */
export function definitionsOf({ id, crd }: Sequence): { initial: unknown[]; change?: DefinitionChange } {
  if (id === "version-removed")
    return {
      initial: [removable(["v1", "v1old"])],
      change: { beforeStep: 2, definition: removable(["v1"]) },
    };
  if (id === "version-schema-change")
    return { initial: [changing(BEFORE)], change: { beforeStep: 2, definition: changing(AFTER) } };
  // Some sequences expect a kind beside the one that they are about.
  const plurals = new Set(["widgets", ...(crd === undefined ? [] : [crd])]);
  return { initial: [...plurals].map(definitionOf) };
}

const text = { type: "string" };
const object = (properties: Schema): Schema => ({ type: "object", properties });

function removable(versions: readonly string[]): Schema {
  const schema = object({ spec: object({ a: text, b: text, c: text }) });
  return definition({ group: "rm.test", kind: "Rm", versions, schema });
}

const items = { ...object({ name: text, v: text }), required: ["name"] };
const plain = { type: "array", items };
const keyed = { ...plain, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
const BEFORE = { list: keyed, other: plain, m: object({ a: text, b: text }), gone: text, kept: text };
const AFTER = {
  list: plain,
  other: keyed,
  m: { ...object({ a: text, b: text }), "x-kubernetes-map-type": "atomic" },
  kept: text,
};

function changing(spec: Schema): Schema {
  return definition({
    group: "chg.test",
    kind: "Chg",
    versions: ["v1"],
    schema: object({ spec: object(spec) }),
  });
}

function definition(made: {
  group: string;
  kind: string;
  versions: readonly string[];
  schema: Schema;
}): Schema {
  const singular = made.kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${made.group}` },
    spec: {
      group: made.group,
      scope: "Namespaced",
      names: { plural: `${singular}s`, singular, kind: made.kind, listKind: `${made.kind}List` },
      versions: made.versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: made.schema },
      })),
    },
  };
}
