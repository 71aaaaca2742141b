import { builtInBlocks } from "../../openapi/built-in/blocks.ts";
import { type FieldText, kindKey, readTypes, SINGLE_VALUES, type TypeText } from "../../openapi/notation.ts";
import { embeddedIn, textNameOf } from "./go-names.ts";

/** A single value. */
export type Scalar = (typeof SINGLE_VALUES)[number];

/** The type of a value of one of Kubernetes' own kinds; `go` is Go's name of the type. */
export type ValueType =
  | { readonly form: "scalar"; readonly scalar: Scalar; readonly go: string }
  | { readonly form: "struct"; fields(): Fields; readonly go: string }
  | { readonly form: "list"; readonly item: ValueType; readonly go: string }
  | { readonly form: "map"; readonly value: ValueType; readonly go: string }
  | { readonly form: "any"; readonly go: string };

/** The fields of a struct by their names. */
export type Fields = ReadonlyMap<string, Field>;

/** A field of a struct. */
export interface Field {
  readonly name: string;
  readonly struct: string;
  /** The embedded struct, if Go has one that JSON does not show. */
  readonly within: string | undefined;
  readonly type: ValueType;
  /** Whether a zero, empty or false value has a meaning; otherwise it counts as missing. */
  readonly keepsZero: boolean;
}

interface Structs {
  readonly byName: ReadonlyMap<string, () => Fields>;
  /** The full names of kinds, by `apiVersion/kind`. */
  readonly kinds: ReadonlyMap<string, string>;
}

let structs: Structs | undefined;

/** The fields of one of Kubernetes' own kinds, parsed on first use; undefined for any other kind. */
export function fieldsOfKind(apiVersion: string, kind: string): Fields | undefined {
  structs ??= readStructs();
  const fullName = structs.kinds.get(`${apiVersion}/${kind}`);
  return fullName === undefined ? undefined : structs.byName.get(fullName)?.();
}

function readStructs(): Structs {
  const { types, resolve } = readTypes(builtInBlocks);
  const byName = new Map<string, () => Fields>();
  for (const [fullName, type] of types) {
    const fields = (name: string): (() => Fields) => byName.get(resolve(name, type.block)) ?? NO_FIELDS;
    byName.set(
      fullName,
      once(() => new Map(fieldTexts(type).map((text) => [text.name, fieldOf(type.name, text, fields)]))),
    );
  }
  const kinds = [...types]
    .filter(([, type]) => type.isKind)
    .map(([name, type]) => [kindKey(type), name] as const);
  return { byName, kinds: new Map(kinds) };
}

const NO_FIELDS = (): Fields => new Map();

/** Fields of every object that its text does not list; an event lists them, and then those count. */
const OBJECT_FIELDS: readonly FieldText[] = ["apiVersion string", "kind string", "metadata ObjectMeta"].map(
  (text) => {
    const [name = "", type = ""] = text.split(" ");
    return {
      number: [],
      name,
      isRequired: false,
      keepsZero: false,
      type,
      options: "",
      description: undefined,
    };
  },
);

function fieldTexts({ isKind, fields }: TypeText): readonly FieldText[] {
  return isKind ? [...OBJECT_FIELDS, ...fields] : fields;
}

type FieldsNamed = (name: string) => () => Fields;

function fieldOf(struct: string, { name, number, type, keepsZero }: FieldText, fields: FieldsNamed): Field {
  const text = textNameOf(struct, name);
  return {
    name,
    struct,
    within: number.length > 1 ? embeddedIn(struct) : undefined,
    type: typeOf(type, text, fields),
    keepsZero,
  };
}

function typeOf(type: string, text: string, fields: FieldsNamed): ValueType {
  if (type.startsWith("[]")) {
    const item = typeOf(type.slice(2), text, fields);
    return { form: "list", item, go: `[]${item.go}` };
  }
  if (type.startsWith("{")) {
    const value = typeOf(type.slice(1, -1), text, fields);
    const go = type === "{quantity}" ? "v1.ResourceList" : `map[string]${value.go}`;
    return { form: "map", value, go };
  }
  const scalar = SINGLE_VALUES.find((one) => one === type);
  if (scalar) return { form: "scalar", scalar, go: scalarName(scalar, text) };
  if (type === "object" || type === "json") return { form: "any", go: "object" };
  return { form: "struct", fields: fields(type), go: `v1.${type}` };
}

const GO_SCALARS: Partial<Readonly<Record<Scalar, string>>> = {
  boolean: "bool",
  bytes: "[]uint8",
  // These decode themselves, each from one plain type.
  time: "string",
  microTime: "string",
  intOrString: "int32",
};

function scalarName(scalar: Scalar, text: string): string {
  return scalar === "string" ? text : (GO_SCALARS[scalar] ?? scalar);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
