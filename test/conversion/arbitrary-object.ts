/** Random objects that fit a schema, for the proofs of conversions. */
import fc from "fast-check";

/** The keywords of a schema that a value must obey. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly minimum?: number;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: boolean;
}

type Fields = Record<string, unknown>;

/** Values for the fields whose type does not say what they must look like, by a pattern of their paths. */
export type SpecialFields = readonly (readonly [RegExp, fc.Arbitrary<unknown>])[];

/** Any value of a schema; `path` is its place in the object. */
export function valueOf(schema: Schema, path: string, special: SpecialFields): fc.Arbitrary<unknown> {
  const found = special.find(([pattern]) => pattern.test(path));
  if (found) return found[1];
  if (schema["x-kubernetes-int-or-string"]) return fc.constantFrom<unknown>(0, 1, "20%");
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "object":
      return objectOf(schema, path, special);
    case "array":
      return listOf(schema, path, special);
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.constantFrom(schema.minimum ?? 0, 1, 7);
    case undefined:
    default:
      return textOf(schema);
  }
}

function textOf({ format, minLength = 0 }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") return fc.constantFrom("2026-01-01T00:00:00Z", "2026-02-03T04:05:06Z");
  return minLength > 0 ? fc.constantFrom("a", "b") : fc.constantFrom("", "a", "b");
}

function objectOf(schema: Schema, path: string, special: SpecialFields): fc.Arbitrary<unknown> {
  const { properties, additionalProperties, required = [], minProperties = 0 } = schema;
  if (!properties) {
    if (typeof additionalProperties !== "object") return fc.constant({});
    return fc.dictionary(fc.constantFrom("x", "y"), valueOf(additionalProperties, `${path}{}`, special), {
      minKeys: minProperties,
    });
  }
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valueOf(field, `${path}.${name}`, special)]),
  );
  return fc
    .record(fields, { requiredKeys: [...required] })
    .filter((value) => Object.keys(value).length >= minProperties);
}

function listOf(schema: Schema, path: string, special: SpecialFields): fc.Arbitrary<unknown> {
  const { items = {}, minItems = 0, "x-kubernetes-list-map-keys": keys } = schema;
  const item = valueOf(items, `${path}[]`, special);
  const limits = { minLength: minItems, maxLength: 2 };
  if (!keys) return fc.array(item, limits);
  const selector = (value: unknown): string => JSON.stringify(keys.map((key) => (value as Fields)[key]));
  return fc.uniqueArray(item, { ...limits, selector });
}
