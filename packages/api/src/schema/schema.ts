/**
 * The only constructors of schemas for kinds.
 *
 * Each can express only a structural schema, so a CRD is generated from the same value that gives the TypeScript type:
 * no conversion, no second source. The description comes first because `kubectl explain` shows it, and every field of
 * the API must be documented.
 */
import {
  Type,
  type Static,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  type TUnsafe,
} from "typebox";

export type { Static, TObject, TSchema };

/** A CEL rule, for what a schema cannot express. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
  readonly reason?:
    | "FieldValueInvalid"
    | "FieldValueForbidden"
    | "FieldValueRequired"
    | "FieldValueDuplicate";
}

interface Common<T> {
  readonly default?: T;
  readonly rules?: readonly Rule[];
  readonly nullable?: boolean;
}

/** Limits of a text field. */
export interface StringOptions extends Common<string> {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** Limits of a number. */
export interface NumberOptions extends Common<number> {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Limits of a list. */
export interface ListOptions<T> extends Common<readonly T[]> {
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** How an object treats unknown fields, and rules over several of its fields. */
export interface ObjectOptions extends Common<unknown> {
  /** Keep unknown fields; for kinds whose reconcilers do not read them yet. */
  readonly preserveUnknown?: boolean;
  readonly minProperties?: number;
  /** Replace the value as a whole on apply instead of merging its fields. */
  readonly atomic?: boolean;
}

/** A text. */
export function string(description: string, options: StringOptions = {}): TUnsafe<string> {
  return leaf<string>("string", description, options);
}

/** A 32-bit whole number, the size Kubernetes uses for counts. */
export function integer(description: string, options: NumberOptions = {}): TUnsafe<number> {
  return leaf<number>("integer", description, { format: "int32", ...options });
}

/** A 64-bit whole number. */
export function long(description: string, options: NumberOptions = {}): TUnsafe<number> {
  return leaf<number>("integer", description, { format: "int64", ...options });
}

/** True or false. */
export function boolean(description: string, options: Common<boolean> = {}): TUnsafe<boolean> {
  return leaf<boolean>("boolean", description, options);
}

/** One of the given values. */
export function oneOf<const V extends readonly [string, ...string[]]>(
  description: string,
  values: V,
  options: Common<V[number]> = {},
): TUnsafe<V[number]> {
  return leaf<V[number]>("string", description, { enum: [...values], ...options });
}

/** A whole number, or a percentage such as `25%`. */
export function intOrPercent(
  description: string,
  options: Common<number | string> = {},
): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({
    ...printed(description, options),
    anyOf: [{ type: "integer" }, { type: "string" }],
    "x-kubernetes-int-or-string": true,
  });
}

/** An amount such as `500m` or `2Gi`. */
export function quantity(description: string): TUnsafe<number | string> {
  return Type.Unsafe<number | string>({
    ...printed(description, {}),
    anyOf: [{ type: "integer" }, { type: "string" }],
    pattern:
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    "x-kubernetes-int-or-string": true,
  });
}

/** A duration in Go's grammar, such as `1h30m`. */
export function duration(description: string, options: Common<string> = {}): TUnsafe<string> {
  return leaf<string>("string", description, options);
}

/** A time, in RFC 3339. */
export function timestamp(description: string): TUnsafe<string> {
  return leaf<string>("string", description, { format: "date-time" });
}

/** An object with named fields. Fields wrapped in `optional` may be omitted, all others are required. */
export function object<P extends TProperties>(
  description: string,
  properties: P,
  options: ObjectOptions = {},
): TObject<P> {
  const { preserveUnknown, atomic, minProperties, ...common } = options;
  return Type.Object(properties, {
    ...printed(description, common),
    ...(minProperties !== undefined && { minProperties }),
    ...(preserveUnknown && { "x-kubernetes-preserve-unknown-fields": true }),
    ...(atomic && { "x-kubernetes-map-type": "atomic" }),
  });
}

/** An optional field. */
export function optional<S extends TSchema>(schema: S): TOptional<S> {
  return Type.Optional(schema) as TOptional<S>;
}

/** A list that is replaced as a whole on apply. */
export function listOf<S extends TSchema>(
  description: string,
  items: S,
  options: ListOptions<Static<S>> = {},
): TUnsafe<Static<S>[]> {
  return Type.Unsafe<Static<S>[]>({
    ...printed(description, options),
    type: "array",
    items,
    "x-kubernetes-list-type": "atomic",
  });
}

/** A list of distinct values, merged one by one on apply. */
export function setOf(description: string, options: ListOptions<string> = {}): TUnsafe<string[]> {
  return Type.Unsafe<string[]>({
    ...printed(description, options),
    type: "array",
    items: { type: "string" },
    "x-kubernetes-list-type": "set",
  });
}

/** A list whose items are identified by the given fields, merged item by item on apply. */
export function listMap<S extends TSchema>(
  description: string,
  items: S,
  options: ListOptions<Static<S>> & { readonly keys: readonly [string, ...string[]] },
): TUnsafe<Static<S>[]> {
  const { keys, ...limits } = options;
  return Type.Unsafe<Static<S>[]>({
    ...printed(description, limits),
    type: "array",
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": [...keys],
  });
}

/** A map of free names to values of one type. */
export function mapOf<S extends TSchema>(description: string, values: S): TUnsafe<Record<string, Static<S>>> {
  return Type.Unsafe<Record<string, Static<S>>>({
    ...printed(description, {}),
    type: "object",
    additionalProperties: values,
  });
}

/** An object whose contents are preserved and not validated. */
export function anyObject(description: string): TUnsafe<Record<string, unknown>> {
  return Type.Unsafe<Record<string, unknown>>({
    ...printed(description, {}),
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
  });
}

/** Any JSON value, preserved and not validated. */
export function anyValue(description: string): TUnsafe {
  return Type.Unsafe({ ...printed(description, {}), "x-kubernetes-preserve-unknown-fields": true });
}

/** The same schema with another description. */
export function described<S extends TSchema>(description: string, schema: S): S {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(schema), description: { value: description, enumerable: true } },
  ) as S;
}

function leaf<T>(type: string, description: string, options: object): TUnsafe<T> {
  return Type.Unsafe<T>({ type, ...printed(description, options) });
}

function printed(description: string, options: object): Record<string, unknown> {
  const { rules, ...keywords } = options as { rules?: readonly Rule[] };
  return { description, ...keywords, ...(rules && { "x-kubernetes-validations": rules }) };
}
