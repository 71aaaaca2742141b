import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbidden,
  type Frozen,
  invalid,
  labelKeyProblems,
  labelValueProblems,
  type ObjectMeta,
  type OwnerReference,
  required,
} from "@capstan/api";
import type { Resource } from "./registry.ts";

// All annotations of an object together, keys and values: the limit of kube-apiserver.
const ANNOTATIONS_LIMIT_BYTES = 256 * 1024;

/** Says what is wrong with the metadata of an object, in the order and the words of kube-apiserver. */
export function metadataErrors(resource: Resource, metadata: ObjectMeta): FieldError[] {
  const { generateName, name, labels, annotations, ownerReferences, finalizers } = metadata;
  return [
    ...(generateName ? nameErrors(resource, "metadata.generateName", generateName) : []),
    ...(name === ""
      ? [required("metadata.name", "name or generateName is required")]
      : nameErrors(resource, "metadata.name", name)),
    ...labelErrors(labels ?? {}),
    ...annotationErrors(annotations ?? {}),
    ...ownerErrors(ownerReferences ?? []),
    ...(finalizers ?? []).flatMap((finalizer) =>
      labelKeyProblems(finalizer).map((problem) => invalid("metadata.finalizers", finalizer, problem)),
    ),
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

/** Hints about metadata that is allowed and not wise. */
export function metadataWarnings(metadata: Frozen<ObjectMeta>): string[] {
  return (metadata.finalizers ?? [])
    .filter((finalizer) => !finalizer.includes("/") && !STANDARD_FINALIZERS.has(finalizer))
    .map(
      (finalizer) =>
        `metadata.finalizers: "${finalizer}": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
    );
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function nameErrors(resource: Resource, field: string, name: string): FieldError[] {
  // A generated name goes on after its prefix, so a dash or dot at the end of the prefix is fine.
  const checked = field === "metadata.generateName" ? name.replace(/[-.]$/, "a") : name;
  return nameProblems(resource, checked).map((problem) => invalid(field, name, problem));
}

function nameProblems({ kind, strategy }: Resource, name: string): string[] {
  if (!strategy.shortName) return dns1123SubdomainProblems(name);
  if (kind.kind === "Namespace" && name.includes(".")) return ["must not contain dots"];
  return dns1123LabelProblems(name);
}

function labelErrors(labels: Readonly<Record<string, string>>): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid("metadata.labels", key, problem)),
    ...labelValueProblems(value).map((problem) => invalid("metadata.labels", value, problem)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(annotations);
  // Unlike those of labels, the keys of annotations may be written in capitals.
  const errors = entries.flatMap(([key]) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid("metadata.annotations", key, problem)),
  );
  const bytes = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  if (bytes > ANNOTATIONS_LIMIT_BYTES) {
    errors.push({
      type: "FieldValueTooLong",
      field: "metadata.annotations",
      message: `Too long: may not be more than ${ANNOTATIONS_LIMIT_BYTES} bytes`,
    });
  }
  return errors;
}

function ownerErrors(owners: readonly OwnerReference[]): FieldError[] {
  const errors = owners.flatMap((owner) =>
    (["apiVersion", "kind", "name", "uid"] as const)
      .filter((field) => !owner[field])
      .map((field) =>
        invalid(
          `metadata.ownerReferences.${field}`,
          "",
          field === "apiVersion" ? "version must not be empty" : "must not be empty",
        ),
      ),
  );
  const controllers = owners.filter((owner) => owner.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
    errors.push(
      invalid(
        "metadata.ownerReferences",
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`,
      ),
    );
  }
  return errors;
}
