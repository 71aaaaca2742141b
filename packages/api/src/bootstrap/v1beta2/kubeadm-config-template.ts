import { NonEmptyTemplateMetadata } from "../../cluster/v1beta2/fields.ts";
import { object, optional } from "../../schema/schema.ts";
import { NonEmptyKubeadmConfigSpec } from "./spec.ts";

/** The spec of a KubeadmConfigTemplate of v1beta2. */
export const Spec = object("The desired configs.", {
  template: object(
    "The template of configs.",
    { metadata: optional(NonEmptyTemplateMetadata), spec: optional(NonEmptyKubeadmConfigSpec) },
    { minProperties: 1 },
  ),
});
