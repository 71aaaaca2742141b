import { type CustomKind, type CustomResourceDefinition, toConvertedDefinition } from "@capstan/api";

/** The versions of the kinds that these tests use: release 0.1 stored the first, later ones store the second. */
export const OLDER = "v1beta1";
export const NEWER = "v1beta2";

/**
 * A kind without defaults and rules of ours: those are written for the version that this release stores, and a real
 * kube-apiserver has none without our admission webhooks.
 */
export function plain<K extends CustomKind>(kind: K): K {
  return { ...kind, applyDefaults: () => undefined, validate: () => [], warn: () => [] };
}

/** The CRD of a kind that stores this version, as another release has it. */
export function definitionStoring(kind: CustomKind, version: string): CustomResourceDefinition {
  const definition = toConvertedDefinition(kind);
  const versions = definition.spec.versions.map((one) => ({ ...one, storage: one.name === version }));
  return { ...definition, spec: { ...definition.spec, versions } };
}

/** The kind as a client of another version sees it; the compiler knows only the fields of the stored one. */
export function inVersion(kind: CustomKind, version: string): CustomKind {
  return { ...kind, version, apiVersion: `${kind.group}/${version}` };
}
