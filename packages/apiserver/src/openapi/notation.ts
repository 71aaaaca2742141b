/**
 * A short way to write down the schemas of Kubernetes' own kinds:
 *
 *     # Container | A program that runs in a pod.
 *     name! string | Its name, unique in the pod.
 *     ports []ContainerPort merge=containerPort keys=containerPort,protocol | The ports it listens on.
 *
 * A line with `#` begins a schema, `#kind` one that is served; that one has `apiVersion`, `kind` and
 * `metadata` without saying so. Every other line is a field: its name, with `!` when it is required,
 * its type, what a merge does with it, and what it means. `[]T` is a list, `{T}` a map.
 *
 * - `merge=KEY`: strategic merge goes item by item, told apart by KEY; so does apply, by `keys=A,B` if that differs.
 * - `atomic`: apply replaces the list although strategic merge does not.
 * - `set`: a list of distinct words. `retain`: a merge drops what is not named. `replace`: a merge replaces the whole.
 */

/** A JSON Schema, as OpenAPI writes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Schemas of one group and version in the notation. */
export interface Block {
  /** What the names of the schemas begin with. */
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly text: string;
}

/** Where the schemas of a document are; references to them begin with this. */
export const SCHEMAS = "#/components/schemas/";

/** The name of the schema of the metadata of objects. */
const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  time: { type: "string", format: "date-time" },
  bytes: { type: "string", format: "byte" },
  quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  intOrString: { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" },
  object: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** Reads blocks; schemas may refer to those of other blocks. */
export function readBlocks(blocks: readonly Block[]): ReadonlyMap<string, Schema> {
  const parts = blocks.flatMap(schemaTexts);
  const names = new Set(parts.map(({ fullName }) => fullName));
  const resolve = (name: string, prefix: string): string => {
    const own = `${prefix}.${name}`;
    const found = names.has(own) ? own : [...names].find((candidate) => candidate.endsWith(`.${name}`));
    if (found === undefined)
      throw new Error(`no schema is called ${name}; define it with a line "# ${name} | …"`);
    return found;
  };
  return new Map(
    parts.map((part) => [part.fullName, readSchema(part, (name) => resolve(name, part.block.prefix))]),
  );
}

interface SchemaText {
  readonly block: Block;
  readonly fullName: string;
  readonly name: string;
  readonly isKind: boolean;
  readonly description: string;
  readonly lines: readonly string[];
}

const HEADER = /^#(kind)? (\w+) \| (.+)$/;

function schemaTexts(block: Block): SchemaText[] {
  const found: (SchemaText & { lines: string[] })[] = [];
  for (const line of block.text.split("\n").map((one) => one.trim())) {
    const header = HEADER.exec(line);
    if (header) {
      const [, isKind, name = "", description = ""] = header;
      const fullName = `${block.prefix}.${name}`;
      found.push({ block, fullName, name, isKind: isKind !== undefined, description, lines: [] });
    } else if (line !== "") found.at(-1)?.lines.push(line);
  }
  return found;
}

function readSchema(part: SchemaText, resolve: (name: string) => string): Schema {
  const { description, lines, isKind, name, block } = part;
  const fields = lines.map((line) => readField(line, resolve));
  const required = fields.filter((field) => field.isRequired).map((field) => field.name);
  const { group, version } = block;
  return {
    description,
    type: "object",
    ...(required.length > 0 && { required }),
    properties: {
      ...(isKind && KIND_FIELDS),
      ...Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    },
    ...(isKind && { "x-kubernetes-group-version-kind": [{ group, version, kind: name }] }),
  };
}

/** The fields that every object has, but for what is its own. */
export const KIND_FIELDS: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string", description: "The group and version of the kind." },
  kind: { type: "string", description: "The name of the kind." },
  metadata: {
    description: "What every object carries: its name, labels, owners and the like.",
    allOf: [{ $ref: `${SCHEMAS}${OBJECT_META}` }],
  },
};

interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

const FIELD = /^([\w$]+)(!)? (\S+)((?: [a-z]+(?:=\S+)?)*) \| (.+)$/;

function readField(line: string, resolve: (name: string) => string): Field {
  const found = FIELD.exec(line);
  if (!found) throw new Error(`${JSON.stringify(line)} is no field; write "name type | What it means."`);
  const [, name = "", mark, type = "", options = "", description = ""] = found;
  const schema = { description, ...readType(type, resolve), ...readOptions(options.trim(), type) };
  return { name, isRequired: mark !== undefined, schema };
}

function readType(type: string, resolve: (name: string) => string): Schema {
  if (type.startsWith("[]")) return { type: "array", items: itemOf(readType(type.slice(2), resolve)) };
  if (type.startsWith("{"))
    return { type: "object", additionalProperties: itemOf(readType(type.slice(1, -1), resolve)) };
  return SCALARS[type] ?? { allOf: [{ $ref: `${SCHEMAS}${resolve(type)}` }] };
}

/** A reference needs no wrapping where nothing stands beside it. */
function itemOf(schema: Schema): Schema {
  const [reference] = Array.isArray(schema["allOf"]) ? (schema["allOf"] as Schema[]) : [];
  return reference ?? schema;
}

/** What strategic merge and apply do with a field; a list of which nothing is said is replaced as a whole. */
function readOptions(text: string, type: string): Schema {
  const options = new Map(
    text.split(" ").map((one) => {
      const [name = "", value = ""] = one.split("=");
      return [name, value];
    }),
  );
  const mergeKey = options.get("merge");
  const strategy = [
    ...(mergeKey !== undefined || options.has("set") ? ["merge"] : []),
    ...(options.has("retain") ? ["retainKeys"] : []),
    ...(options.has("replace") ? ["replace"] : []),
  ];
  return {
    ...(type.startsWith("[]") && listOptions(options)),
    ...(mergeKey && { "x-kubernetes-patch-merge-key": mergeKey }),
    ...(strategy.length > 0 && { "x-kubernetes-patch-strategy": strategy.join(",") }),
  };
}

function listOptions(options: ReadonlyMap<string, string>): Schema {
  if (options.has("set")) return { "x-kubernetes-list-type": "set" };
  const keys = options.get("keys") ?? options.get("merge");
  if (!keys || options.has("atomic")) return { "x-kubernetes-list-type": "atomic" };
  return { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys.split(",") };
}
