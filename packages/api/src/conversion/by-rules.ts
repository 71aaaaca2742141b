import { deepCopy } from "../values/deep-copy.ts";
import { type ConvertedVersion, defineVersion } from "../kind.ts";
import type { JsonObject } from "../values/json-object.ts";
import type { Convert } from "./conversion.ts";
import { dropForbiddenEmpties } from "./empty-values.ts";
import { fieldAt, type Fields, isEmptyObject } from "./field-path.ts";
import { putCarried, takeCarried } from "./restore-annotation.ts";
import type { FieldRule } from "./rules.ts";

/** Conversions between an older and a newer version of a kind. */
interface RuledConversion {
  /** To the newer version. */
  readonly up: Convert;
  /** To the older version. */
  readonly down: Convert;
}

/** A version beside the stored one, and the rules by which it is converted. */
export interface RuledVersion extends ConvertedVersion {
  readonly fieldRules: readonly FieldRule[];
}

/** Defines a version that is newer than the stored one. */
export function newerVersion({
  fieldRules,
  ...definition
}: Omit<Parameters<typeof defineVersion>[0], "conversion"> & {
  readonly fieldRules: readonly FieldRule[];
}): RuledVersion {
  const { up, down } = byRules(definition, fieldRules);
  const version = defineVersion({ ...definition, conversion: { toStored: down, fromStored: up } });
  return { ...version, fieldRules };
}

/** Defines a version that is older than the stored one. */
export function olderVersion({
  fieldRules,
  newer,
  ...definition
}: Omit<Parameters<typeof defineVersion>[0], "conversion"> & {
  readonly fieldRules: readonly FieldRule[];
  /** The schemas of the stored version. */
  readonly newer: NewerSchemas;
}): RuledVersion {
  const { up, down } = byRules(newer, fieldRules);
  const version = defineVersion({ ...definition, conversion: { toStored: up, fromStored: down } });
  return { ...version, fieldRules };
}

/** The schemas of the newer version. */
interface NewerSchemas {
  readonly spec: unknown;
  readonly status?: unknown;
}

/** A conversion by rules: those are followed in their order on the way up, and in the reverse order on the way down. */
function byRules({ spec, status }: NewerSchemas, rules: readonly FieldRule[]): RuledConversion {
  const reversed = rules.toReversed();
  const newer = { properties: { spec, ...(status ? { status } : {}) } };
  return {
    up: (given, context) => {
      const object = deepCopy<Fields>(given);
      const warnings: string[] = [];
      const restored = takeCarried(object, warnings);
      const pass = { ...context, object, restored, carried: {}, namespace: namespaceOf(given), warnings };
      for (const { up } of rules) up(pass);
      dropForbiddenEmpties(newer, object);
      return { object: tidied(object, given), warnings };
    },
    down: (given, context) => {
      const object = deepCopy<Fields>(given);
      const warnings: string[] = [];
      const carried: Fields = {};
      const pass = { ...context, object, restored: {}, carried, namespace: namespaceOf(given), warnings };
      for (const { down } of reversed) down(pass);
      putCarried(object, carried);
      return { object: tidied(object, given), warnings };
    },
  };
}

function namespaceOf(object: JsonObject): string | undefined {
  const namespace = fieldAt(object, ["metadata", "namespace"]);
  return typeof namespace === "string" && namespace !== "" ? namespace : undefined;
}

/** Without a status that the conversion has emptied. */
function tidied(object: Fields, given: JsonObject): Fields {
  if (isEmptyObject(object["status"]) && !isEmptyObject(given["status"])) delete object["status"];
  return object;
}
