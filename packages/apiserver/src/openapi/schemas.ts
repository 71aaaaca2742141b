import { builtInSchemas } from "./built-in/blocks.ts";
import { type DocumentedKind, groupVersionKind, type GroupVersionKind } from "./documented-kind.ts";
import { KIND_FIELDS, type Schema, SCHEMAS } from "./notation.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The names of schemas that every document refers to. */
export const SHARED = {
  listMeta: `${META}.ListMeta`,
  patch: `${META}.Patch`,
  deleteOptions: `${META}.DeleteOptions`,
  status: `${META}.Status`,
} as const;

const GVK = "x-kubernetes-group-version-kind";

let builtInNames: ReadonlyMap<string, string> | undefined;

/** The name of the schema of a kind: Kubernetes' own if there is one, else the group in reverse order. */
export function schemaName(kind: GroupVersionKind): string {
  builtInNames ??= new Map(
    [...builtInSchemas()].flatMap(([name, schema]) =>
      ((schema[GVK] ?? []) as GroupVersionKind[]).map((one) => [keyOf(one), name]),
    ),
  );
  const { group, version, kind: name } = kind;
  const reversed = group === "" ? "io.k8s.api.core" : group.split(".").toReversed().join(".");
  return builtInNames.get(keyOf(kind)) ?? `${reversed}.${version}.${name}`;
}

function keyOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

/**
 * All schemas that a document about the kinds needs, by name: theirs, those of their lists, and all referenced ones.
 */
export function schemasOf(kinds: readonly DocumentedKind[]): Readonly<Record<string, Schema>> {
  const schemas = new Map<string, Schema>();
  for (const kind of kinds) {
    schemas.set(schemaName(kind), schemaOf(kind));
    if (kind.verbs.includes("list")) schemas.set(`${schemaName(kind)}List`, listSchema(kind));
    for (const part of kind.subresources) addKnown(schemas, schemaName(part));
  }
  for (const name of Object.values(SHARED)) addKnown(schemas, name);
  // The iteration of a Map includes entries that are added meanwhile, so the references of each schema are followed,
  // too.
  for (const schema of schemas.values()) {
    for (const name of references(schema)) addKnown(schemas, name);
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds one of Kubernetes' own schemas; a kind without one, such as Scale, accepts any fields. */
function addKnown(schemas: Map<string, Schema>, name: string): void {
  if (!schemas.has(name)) schemas.set(name, builtInSchemas().get(name) ?? ANYTHING);
}

const ANYTHING: Schema = {
  type: "object",
  description: "Any fields are accepted.",
  "x-kubernetes-preserve-unknown-fields": true,
};

function schemaOf(kind: DocumentedKind): Schema {
  const known = kind.schema ?? builtInSchemas().get(schemaName(kind)) ?? ANYTHING;
  if (!kind.schema && known !== ANYTHING) return known;
  const properties = (known["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  return { ...known, properties: { ...properties, ...KIND_FIELDS }, [GVK]: [groupVersionKind(kind)] };
}

function listSchema(kind: DocumentedKind): Schema {
  const { apiVersion, kind: kindField } = KIND_FIELDS;
  return {
    description: `A list of objects of the kind ${kind.kind}.`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion,
      kind: kindField,
      metadata: {
        description: "The metadata of a list: its version and continue token.",
        allOf: [{ $ref: `${SCHEMAS}${SHARED.listMeta}` }],
      },
      items: {
        description: "The objects.",
        type: "array",
        items: { $ref: `${SCHEMAS}${schemaName(kind)}` },
      },
    },
    [GVK]: [groupVersionKind({ ...kind, kind: `${kind.kind}List` })],
  };
}

/** The names of the schemas that a schema refers to, at any depth. */
function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child.slice(SCHEMAS.length)] : references(child),
  );
}
