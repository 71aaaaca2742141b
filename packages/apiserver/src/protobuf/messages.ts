import { builtInBlocks } from "../openapi/built-in/blocks.ts";
import { type FieldText, kindKey, readTypes, SINGLE_VALUES } from "../openapi/notation.ts";

/** A message of protocol buffers: its fields by their numbers. */
export type Message = ReadonlyMap<number, MessageField>;

/** A field of a message. */
export interface MessageField {
  /** The name in JSON; empty for a message whose fields JSON inlines. */
  readonly name: string;
  readonly type: ValueType;
  /** Whether a zero, empty or false value has a meaning; otherwise it counts as missing. */
  readonly keepsZero: boolean;
}

const SCALARS = [...SINGLE_VALUES, "json"] as const;

/** A single value that is not a message. */
export type Scalar = (typeof SCALARS)[number];

/** The type of a value. */
export type ValueType =
  | { readonly form: "scalar"; readonly scalar: Scalar }
  | { readonly form: "message"; message(): Message }
  | { readonly form: "list"; readonly item: ValueType }
  | { readonly form: "map"; readonly value: ValueType };

interface Types {
  readonly messages: ReadonlyMap<string, () => Message>;
  /** The full names of kinds, by `group/version/kind`. */
  readonly kinds: ReadonlyMap<string, string>;
}

let types: Types | undefined;

/** The message of a kind; undefined for an unknown kind. */
export function messageOf(apiVersion: string, kind: string): Message | undefined {
  types ??= readMessages();
  // Options belong to no group: a client sends them with the group and version of the object that it deletes.
  const fullName = kind === "DeleteOptions" ? DELETE_OPTIONS : types.kinds.get(`${apiVersion}/${kind}`);
  return fullName === undefined ? undefined : types.messages.get(fullName)?.();
}

const DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";

const METADATA: FieldText = {
  number: [1],
  name: "metadata",
  isRequired: false,
  keepsZero: false,
  type: "ObjectMeta",
  options: "",
  description: undefined,
};

function readMessages(): Types {
  const { types: texts, resolve } = readTypes(builtInBlocks);
  const messages = new Map<string, () => Message>();
  for (const [fullName, text] of texts) {
    const typeOf = (type: string): ValueType =>
      valueType(type, (name) => messages.get(resolve(name, text.block)));
    const fields = text.isKind ? [METADATA, ...text.fields] : text.fields;
    messages.set(
      fullName,
      once(() => messageOfFields(fields, typeOf)),
    );
  }
  const kinds = [...texts]
    .filter(([, text]) => text.isKind)
    .map(([fullName, text]) => [kindKey(text), fullName] as const);
  return { messages, kinds: new Map(kinds) };
}

function messageOfFields(fields: readonly FieldText[], typeOf: (type: string) => ValueType): Message {
  const byNumber = Map.groupBy(
    fields.filter(({ number }) => number.length > 0),
    ({ number: [first = 0] }) => first,
  );
  return new Map(
    [...byNumber].map(([number, group]) => {
      const own = group.find((field) => field.number.length === 1);
      return [number, own ? fieldOf(own, typeOf) : nestedField(group, typeOf)];
    }),
  );
}

function fieldOf({ name, type, keepsZero }: FieldText, typeOf: (type: string) => ValueType): MessageField {
  return { name, type: typeOf(type), keepsZero };
}

/** A message that JSON does not have: JSON inlines its fields. */
function nestedField(group: readonly FieldText[], typeOf: (type: string) => ValueType): MessageField {
  const inner = messageOfFields(
    group.map((field) => ({ ...field, number: field.number.slice(1) })),
    typeOf,
  );
  return { name: "", type: { form: "message", message: () => inner }, keepsZero: false };
}

function valueType(type: string, messageNamed: (name: string) => (() => Message) | undefined): ValueType {
  if (type.startsWith("[]")) return { form: "list", item: valueType(type.slice(2), messageNamed) };
  if (type.startsWith("{")) return { form: "map", value: valueType(type.slice(1, -1), messageNamed) };
  const scalar = SCALARS.find((one) => one === type);
  if (scalar) return { form: "scalar", scalar };
  const message = messageNamed(type);
  if (!message) throw new Error(`no message is called ${type}`);
  return { form: "message", message };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
