import { type FieldError, forbidden, type Frozen, invalid, type ObjectMeta, required } from "@capstan/api";
import { nameErrors, objectMetaErrors } from "../schema/object-meta.ts";
import type { Resource } from "./registry.ts";

/** Validates the metadata of an object, with kube-apiserver's order and messages. */
export function metadataErrors({ strategy }: Resource, metadata: ObjectMeta): FieldError[] {
  const { generateName, name } = metadata;
  return [
    // A generated name continues after its prefix, so the prefix may end with a dash or dot.
    ...(generateName
      ? nameErrors(generateName, {
          field: "metadata.generateName",
          nameProblems: (prefix) => strategy.nameProblems(prefix.replace(/[-.]$/, "a")),
        })
      : []),
    ...(name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : nameErrors(name, {
          field: "metadata.name",
          nameProblems: (whole) => strategy.nameProblems(whole),
        })),
    ...objectMetaErrors(metadata, "metadata"),
  ];
}

/** Refuses changes of immutable metadata. */
export function metadataChangeErrors(old: Frozen<ObjectMeta>, metadata: ObjectMeta): FieldError[] {
  const immutable = (["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const)
    .filter((field) => metadata[field] !== old[field])
    .map((field) => invalid(`metadata.${field}`, metadata[field], "field is immutable"));
  const added = old.deletionTimestamp ? addedFinalizers(metadata, old) : [];
  if (added.length === 0) return immutable;
  const listed = added.map((finalizer) => JSON.stringify(finalizer)).join(", ");
  return [
    ...immutable,
    forbidden(
      "metadata.finalizers",
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`,
    ),
  ];
}

function addedFinalizers(metadata: Frozen<ObjectMeta>, old?: Frozen<ObjectMeta>): string[] {
  const before = new Set(old?.finalizers);
  return (metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
}

/** Warnings about metadata that is valid but not advisable; existing metadata was warned about before. */
export function metadataWarnings(metadata: Frozen<ObjectMeta>, old?: Frozen<ObjectMeta>): string[] {
  return addedFinalizers(metadata, old)
    .filter((finalizer) => !finalizer.includes("/") && !STANDARD_FINALIZERS.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: "${finalizer}": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);
