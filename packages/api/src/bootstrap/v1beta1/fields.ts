/** Small schemas that recur in a KubeadmConfig. */
import { listOf, optional, string } from "../../schema/schema.ts";

/** A path, or another text of similar length. */
export function path(description: string) {
  return string(description, { minLength: 1, maxLength: 512 });
}

/** A short text. */
export function word(description: string) {
  return string(description, { minLength: 1, maxLength: 256 });
}

/** A list of texts, each with a maximum length. */
export function texts(description: string, limits: { maxLength: number; maxItems: number }) {
  const { maxLength, maxItems } = limits;
  return listOf(description, string("One of them.", { minLength: 1, maxLength }), { maxItems });
}

/** The type fields of kubeadm's own files; they have no effect here. */
export const kubeadmType = {
  apiVersion: optional(string("The API version of kubeadm; it has no effect here.")),
  kind: optional(string("The kind in kubeadm's API; it has no effect here.")),
};

/** Mount points, with the limits of the fields of each. */
export function mounts(limits: { readonly maxItems?: number } = {}) {
  return listOf(
    "Mount points, each as the fields of a line of fstab.",
    listOf("The fields of a mount point.", path("A field."), limits),
    { maxItems: 100 },
  );
}
