import {
  AzureMachineTemplate,
  type Frozen,
  groupOf,
  isJsonObject,
  type KubernetesObject,
  machineSpecIn,
  PROTOTYPE_IMAGE_ANNOTATION,
  PROTOTYPE_VERSION_ANNOTATION,
} from "@capstan/api";
import type { ContractObject } from "./contract-object.ts";

/**
 * A clone of an AzureMachineTemplate, with the image that was taken of one of the template's machines, if there is one for
 * this Kubernetes version. Clones of other templates stay as they are.
 */
export function withPrototypeImage(
  clone: KubernetesObject & { readonly spec?: unknown },
  { apiVersion, kind, metadata }: Frozen<ContractObject>,
  version: string | undefined,
): KubernetesObject {
  const isOurs = kind === AzureMachineTemplate.kind && groupOf(apiVersion) === AzureMachineTemplate.group;
  if (!isOurs || !isJsonObject(clone.spec)) return clone;
  const { [PROTOTYPE_IMAGE_ANNOTATION]: id, [PROTOTYPE_VERSION_ANNOTATION]: madeFor } =
    metadata.annotations ?? {};
  // How the template renews its image is not a property of its machines.
  const spec = machineSpecIn(clone.spec as Parameters<typeof machineSpecIn>[0]);
  const isUsable = id !== undefined && madeFor === (version ?? "");
  return { ...clone, spec: { ...spec, ...(isUsable && { image: { id } }) } } as KubernetesObject;
}
