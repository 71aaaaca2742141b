import {
  type Conversion,
  type ConversionContext,
  type Converted,
  type CustomKind,
  deepCopy,
  type JsonObject,
} from "@capstan/api";

/** The versions of an object before and after a conversion, as `apiVersion` has them. */
interface Versions {
  readonly from: string;
  readonly to: string;
}

/** Converts an object of a kind between two of its versions; the object itself stays unchanged. */
export type VersionConversion = (object: JsonObject, versions: Versions) => Converted;

/** Finds the conversion of a kind by the name of its CRD; undefined for kinds whose versions this server cannot convert. */
export function conversionsOf(
  kinds: readonly CustomKind[],
  context: ConversionContext,
): (name: string) => VersionConversion | undefined {
  const byName = new Map(
    kinds
      .filter(({ converted }) => converted.length > 0)
      .map((kind) => [`${kind.plural}.${kind.group}`, conversionOf(kind, context)]),
  );
  return (name) => byName.get(name);
}

function stampedAs(apiVersion: string, { object, warnings }: Converted): Converted {
  return { object: { ...object, apiVersion }, warnings };
}

function copied(object: JsonObject): Converted {
  return { object: deepCopy<Record<string, unknown>>(object), warnings: [] };
}

/** Each version has functions to and from the one that our own code stores, so any other pair takes two steps. */
function conversionOf({ group, converted }: CustomKind, context: ConversionContext): VersionConversion {
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
