import { type Static, mapOf, object, optional, string } from "../schema/schema.ts";
import { type FieldError, invalid } from "../values/field-error.ts";
import { labelKeyProblems, labelValueProblems } from "./names.ts";

/** Labels and annotations of objects that a template creates. */
export const TemplateMetadata = object("Labels and annotations of objects that the template creates.", {
  labels: optional(mapOf("Labels to set.", string("The value of a label."))),
  annotations: optional(mapOf("Annotations to set.", string("The value of an annotation."))),
});

/** Labels and annotations of objects that a template creates. */
export type TemplateMetadata = Static<typeof TemplateMetadata>;

/** Reports labels and annotations of a template that Kubernetes would refuse on the created objects. */
export function templateMetadataErrors(
  field: string,
  metadata: { readonly [Key in keyof TemplateMetadata]: Readonly<TemplateMetadata[Key]> } | undefined,
): FieldError[] {
  const labels = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) => [
    ...labelKeyProblems(key).map((problem) => invalid(`${field}.labels`, key, problem)),
    ...labelValueProblems(value).map((problem) => invalid(`${field}.labels[${key}]`, value, problem)),
  ]);
  // The keys of annotations follow the rules of label keys, without regard to case.
  const annotations = Object.keys(metadata?.annotations ?? {}).flatMap((key) =>
    labelKeyProblems(key.toLowerCase()).map((problem) => invalid(`${field}.annotations`, key, problem)),
  );
  return [...labels, ...annotations, ...sizeErrors(`${field}.annotations`, metadata?.annotations)];
}

// Kubernetes' limit for all annotations of an object.
const MOST_ANNOTATION_BYTES = 256 * 1024;

/** Annotations that are too long for the objects that get them. */
function sizeErrors(field: string, annotations: Readonly<Record<string, string>> = {}): FieldError[] {
  const bytes = Object.entries(annotations)
    .flat()
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MOST_ANNOTATION_BYTES) return [];
  const message = `Too long: may not be more than ${MOST_ANNOTATION_BYTES} bytes`;
  return [{ type: "FieldValueTooLong", field, message }];
}
