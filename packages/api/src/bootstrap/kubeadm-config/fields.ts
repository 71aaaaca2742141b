/** Small shapes that recur all over a KubeadmConfig. */
import { listOf, optional, string } from "../../schema/schema.ts";

/** A path, or another text of such a length. */
export function path(description: string) {
  return string(description, { minLength: 1, maxLength: 512 });
}

/** A short text. */
export function word(description: string) {
  return string(description, { minLength: 1, maxLength: 256 });
}

/** A list of texts, each with its longest length. */
export function texts(description: string, limits: { maxLength: number; maxItems: number }) {
  const { maxLength, maxItems } = limits;
  return listOf(description, string("One of them.", { minLength: 1, maxLength }), { maxItems });
}

/** The names by which kubeadm's own files say what they are; they have no effect here. */
export const kubeadmType = {
  apiVersion: optional(string("The API version of kubeadm; it has no effect here.")),
  kind: optional(string("The kind in kubeadm's API; it has no effect here.")),
};
