import type { CustomKind } from "../kind.ts";
import { deepCopy } from "../values/deep-copy.ts";
import type { JsonObject } from "../values/json-object.ts";
import type { Conversion, ConversionContext, Converted } from "./conversion.ts";

/** The versions of an object before and after a conversion, as `apiVersion` has them. */
export interface Versions {
  readonly from: string;
  readonly to: string;
}

/** Converts an object of a kind between two of its versions; the object itself stays unchanged. */
export type VersionConversion = (object: JsonObject, versions: Versions) => Converted;

/**
 * The conversion between any two versions of a kind. Each version has functions to and from the one that our own code
 * stores, so a pair of others takes two steps.
 */
export function versionConversion(
  { group, converted }: CustomKind,
  context: ConversionContext,
): VersionConversion {
  const byVersion = new Map<string, Conversion>(
    converted.map(({ version, conversion }) => [`${group}/${version}`, conversion]),
  );
  return (object, { from, to }) => {
    const [source, target] = [byVersion.get(from), byVersion.get(to)];
    if (!source) return stampedAs(to, target?.fromStored(object, context) ?? copied(object));
    const inward = source.toStored(object, context);
    if (!target) return stampedAs(to, inward);
    const outward = target.fromStored(inward.object, context);
    return stampedAs(to, { ...outward, warnings: [...inward.warnings, ...outward.warnings] });
  };
}

function stampedAs(apiVersion: string, { object, warnings }: Converted): Converted {
  return { object: { ...object, apiVersion }, warnings };
}

function copied(object: JsonObject): Converted {
  return { object: deepCopy<Record<string, unknown>>(object), warnings: [] };
}
