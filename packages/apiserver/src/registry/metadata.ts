import { type FieldError, forbidden, type Frozen, invalid, type ObjectMeta, required } from "@capstan/api";
import { nameErrors, objectMetaErrors } from "../schema/object-meta.ts";
import type { Resource } from "./registry.ts";

/** Says what is wrong with the metadata of an object, in the order and the words of kube-apiserver. */
export function metadataErrors({ strategy }: Resource, metadata: ObjectMeta): FieldError[] {
  const { generateName, name } = metadata;
  return [
    // A generated name goes on after its prefix, so a dash or dot at the end of the prefix is fine.
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

/** Says which changes of the metadata are not allowed. */
export function metadataChangeErrors(old: Frozen<ObjectMeta>, metadata: ObjectMeta): FieldError[] {
  const immutable = (["uid", "deletionTimestamp", "deletionGracePeriodSeconds"] as const)
    .filter((field) => metadata[field] !== old[field])
    .map((field) => invalid(`metadata.${field}`, metadata[field], "field is immutable"));
  const added = old.deletionTimestamp
    ? (metadata.finalizers ?? []).filter((finalizer) => !old.finalizers?.includes(finalizer))
    : [];
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

/** Hints about metadata that is allowed and not wise; what was there before has been hinted at when it came. */
export function metadataWarnings(metadata: Frozen<ObjectMeta>, old?: Frozen<ObjectMeta>): string[] {
  return (metadata.finalizers ?? [])
    .filter((finalizer) => !old?.finalizers?.includes(finalizer))
    .filter((finalizer) => !finalizer.includes("/") && !STANDARD_FINALIZERS.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: "${finalizer}": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
    );
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);
