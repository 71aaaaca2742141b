import {
  type ConversionContext,
  type CustomKind,
  type VersionConversion,
  versionConversion,
} from "@capstan/api";

/** Finds the conversion of a kind by the name of its CRD; undefined for kinds whose versions this server cannot convert. */
export function conversionsOf(
  kinds: readonly CustomKind[],
  versionOf: ConversionContext["versionOf"],
): (name: string) => VersionConversion | undefined {
  const byName = new Map(
    kinds
      .filter(({ converted }) => converted.length > 0)
      .map((kind) => [`${kind.plural}.${kind.group}`, versionConversion(kind, { versionOf })]),
  );
  return (name) => byName.get(name);
}
