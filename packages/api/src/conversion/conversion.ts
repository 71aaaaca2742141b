import type { JsonObject } from "../values/json-object.ts";

/** What a conversion knows beside the object. */
export interface ConversionContext {
  /** The version of a kind that references name by group and kind alone; undefined if no server knows the kind. */
  versionOf(group: string, kind: string): string | undefined;
}

/** A converted object. */
export interface Converted {
  /** It shares nothing with the given object, so the caller may change it. */
  readonly object: Record<string, unknown>;
  /** What the conversion has lost or ignored, for the client. */
  readonly warnings: readonly string[];
}

/**
 * Converts an object, which stays unchanged. Any JSON object is accepted, also one without a spec: API servers
 * convert such objects when they compare the owners of fields.
 */
export type Convert = (object: JsonObject, context: ConversionContext) => Converted;

/** Converts objects between the stored version of a kind and another one. */
export interface Conversion {
  readonly toStored: Convert;
  readonly fromStored: Convert;
}
