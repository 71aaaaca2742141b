/**
 * A short notation for the types of Kubernetes' own kinds:
 *
 *     # Container | A program that runs in a pod.
 *     1 name! string | Its name, unique in the pod.
 *     6 ports []ContainerPort merge=containerPort keys=containerPort,protocol | The ports it listens on.
 *
 * A line with `#` begins a type, `#kind` one that is served; that one has `apiVersion`, `kind` and `metadata`
 * implicitly. Every other line is a field: its number in protocol buffers, its name, with `!` if it is required, its
 * type, its merge options, and its description. A line without a description can have several fields, separated by `;`.
 *
 * `[]T` is a list, `{T}` a map. `*T` is a value that is kept even if it is zero, empty or false; in protocol buffers
 * such values otherwise count as missing. A number such as `2.5` is that of a field of a field: protocol buffers nest
 * what JSON does not.
 *
 * - `merge=KEY`: strategic merge merges items, identified by KEY; so does apply, by `keys=A,B` if that differs.
 * - `atomic`: apply replaces the list although strategic merge does not; of a map or type: apply replaces the whole.
 *   `granular`: apply merges the value although its type is atomic.
 * - `present`: the empty object has the value, because it is a struct and not a pointer in Go: its creator does not own
 *   it, only what is in it. `default=X`: the default, as far as it identifies items of a list.
 * - `set`: a list of distinct values. `retain`: a merge drops keys that it does not name. `replace`: a merge replaces
 *   the whole.
 */

/** A JSON Schema, as OpenAPI writes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** Schemas of one group and version in the notation. */
export interface Block {
  /** The prefix of the schemas' names. */
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly text: string;
}

/** The prefix of references to the schemas of a document. */
export const SCHEMAS = "#/components/schemas/";

/** The name of the schema of the metadata of objects. */
const OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

const SCALARS: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  time: { type: "string", format: "date-time" },
  microTime: { type: "string", format: "date-time" },
  bytes: { type: "string", format: "byte" },
  quantity: { oneOf: [{ type: "string" }, { type: "number" }] },
  intOrString: { oneOf: [{ type: "integer" }, { type: "string" }], format: "int-or-string" },
  object: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  json: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};

/** A type in the notation. */
export interface TypeText {
  readonly block: Block;
  readonly name: string;
  readonly isKind: boolean;
  readonly description: string;
  /** Whether apply replaces values of the type as a whole. */
  readonly isAtomic: boolean;
  readonly fields: readonly FieldText[];
}

/** A field in the notation. */
export interface FieldText {
  /** Its number in protocol buffers, after those of the enclosing fields; empty if protocol buffers do not have it. */
  readonly number: readonly number[];
  readonly name: string;
  readonly isRequired: boolean;
  /** Whether a zero, empty or false value has a meaning. */
  readonly keepsZero: boolean;
  readonly type: string;
  readonly options: string;
  readonly description: string | undefined;
}

/** Resolves the full name of a type that a block mentions. */
export type Resolve = (name: string, block: Block) => string;

/** Parses blocks; types may refer to those of other blocks. */
export function readTypes(blocks: readonly Block[]): {
  types: ReadonlyMap<string, TypeText>;
  resolve: Resolve;
} {
  const types = new Map(blocks.flatMap(typeTexts).map((type) => [`${type.block.prefix}.${type.name}`, type]));
  const resolve: Resolve = (name, { prefix }) => {
    const own = `${prefix}.${name}`;
    const found = types.has(own)
      ? own
      : [...types.keys()].find((candidate) => candidate.endsWith(`.${name}`));
    if (found === undefined)
      throw new Error(`no schema is called ${name}; define it with a line "# ${name} | …"`);
    return found;
  };
  return { types, resolve };
}

/** Parses the schemas of blocks. */
export function readBlocks(blocks: readonly Block[]): ReadonlyMap<string, Schema> {
  const { types, resolve } = readTypes(blocks);
  return new Map(
    [...types].map(([fullName, type]) => [fullName, schemaOf(type, (name) => resolve(name, type.block))]),
  );
}

const HEADER = /^#(kind)? (\w+)( atomic)? \| (.+)$/;

function typeTexts(block: Block): TypeText[] {
  const found: (TypeText & { fields: FieldText[] })[] = [];
  for (const line of block.text.split("\n").map((one) => one.trim())) {
    const header = HEADER.exec(line);
    if (header) {
      const [, isKind, name = "", atomic, description = ""] = header;
      const isAtomic = atomic !== undefined;
      found.push({ block, name, isKind: isKind !== undefined, isAtomic, description, fields: [] });
    } else if (line !== "") found.at(-1)?.fields.push(...fieldTexts(line));
  }
  return found;
}

const FIELD = /^(?:([\d.]+) )?([\w$]+)(!)? (\*)?(\S+)((?: [a-z]+(?:=\S+)?)*)(?: \| (.+))?$/;

function fieldTexts(line: string): FieldText[] {
  return line.includes(" | ") ? [fieldText(line)] : line.split("; ").map(fieldText);
}

function fieldText(text: string): FieldText {
  const found = FIELD.exec(text);
  if (!found) throw new Error(`${JSON.stringify(text)} is not a field; write "1 name type | What it means."`);
  const [, number, name = "", required, star, type = "", options = "", description] = found;
  return {
    number: (number?.split(".") ?? []).map(Number),
    name,
    isRequired: required !== undefined,
    keepsZero: star !== undefined || required !== undefined,
    type,
    options: options.trim(),
    description,
  };
}

function schemaOf(
  { description, fields, isKind, isAtomic, name, block }: TypeText,
  resolve: (name: string) => string,
): Schema {
  const required = fields.filter((field) => field.isRequired).map((field) => field.name);
  const { group, version } = block;
  return {
    description,
    type: "object",
    ...(required.length > 0 && { required }),
    properties: {
      ...(isKind && KIND_FIELDS),
      ...Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, resolve)])),
    },
    ...(isAtomic && { "x-kubernetes-map-type": "atomic" }),
    ...(isKind && { "x-kubernetes-group-version-kind": [{ group, version, kind: name }] }),
  };
}

function fieldSchema({ description, type, options }: FieldText, resolve: (name: string) => string): Schema {
  return { ...(description && { description }), ...readType(type, resolve), ...readOptions(options, type) };
}

/** The fields that every object has. */
export const KIND_FIELDS: Readonly<Record<string, Schema>> = {
  apiVersion: { type: "string", description: "The group and version of the kind." },
  kind: { type: "string", description: "The name of the kind." },
  metadata: {
    description: "The metadata of every object: its name, labels, owners and so on.",
    allOf: [{ $ref: `${SCHEMAS}${OBJECT_META}` }],
  },
};

function readType(type: string, resolve: (name: string) => string): Schema {
  if (type.startsWith("[]")) return { type: "array", items: itemOf(readType(type.slice(2), resolve)) };
  if (type.startsWith("{"))
    return { type: "object", additionalProperties: itemOf(readType(type.slice(1, -1), resolve)) };
  return SCALARS[type] ?? { allOf: [{ $ref: `${SCHEMAS}${resolve(type)}` }] };
}

/** A reference needs no `allOf` if no keyword is beside it. */
function itemOf(schema: Schema): Schema {
  const [reference] = Array.isArray(schema["allOf"]) ? (schema["allOf"] as Schema[]) : [];
  return reference ?? schema;
}

/** How strategic merge and apply treat a field; a list without options is replaced as a whole. */
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
    ...(type.startsWith("[]") ? listOptions(options) : mapOptions(options)),
    ...(options.has("present") && { default: {} }),
    ...(options.has("default") && { default: options.get("default") }),
    ...(mergeKey && { "x-kubernetes-patch-merge-key": mergeKey }),
    ...(strategy.length > 0 && { "x-kubernetes-patch-strategy": strategy.join(",") }),
  };
}

function mapOptions(options: ReadonlyMap<string, string>): Schema {
  const mapType = ["atomic", "granular"].find((one) => options.has(one));
  return mapType === undefined ? {} : { "x-kubernetes-map-type": mapType };
}

function listOptions(options: ReadonlyMap<string, string>): Schema {
  if (options.has("set")) return { "x-kubernetes-list-type": "set" };
  const keys = options.get("keys") ?? options.get("merge");
  if (!keys || options.has("atomic")) return { "x-kubernetes-list-type": "atomic" };
  return { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys.split(",") };
}

/** A kind as objects name it: `apiVersion/kind`. */
export function kindKey({ block: { group, version }, name }: TypeText): string {
  return group === "" ? `${version}/${name}` : `${group}/${version}/${name}`;
}

/** The types of the notation that are read and written as single values. */
export const SINGLE_VALUES = [
  "string",
  "boolean",
  "int32",
  "int64",
  "bytes",
  "time",
  "microTime",
  "quantity",
  "intOrString",
] as const;
