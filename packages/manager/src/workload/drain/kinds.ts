import { builtInKind, type KubernetesObject, type LabelSelectorLike } from "@capstan/api";

/** Asks a pod to leave its node; posted to the pod itself. */
export interface Eviction extends KubernetesObject {
  deleteOptions?: { gracePeriodSeconds?: number; preconditions?: { uid?: string } };
}

/** Asks a pod to leave its node. The path is the pod's, of the core group, and the object is of another. */
export const Eviction = {
  ...builtInKind<Eviction>({
    group: "",
    version: "v1",
    kind: "Eviction",
    plural: "pods",
    namespaced: true,
    subresources: ["eviction"],
  }),
  apiVersion: "policy/v1",
};

/** How many of some pods may be missing at a time. */
export interface PodDisruptionBudget extends KubernetesObject {
  spec?: { selector?: LabelSelectorLike };
}

/** How many of some pods may be missing at a time. */
export const PodDisruptionBudget = builtInKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
});

/** A volume that is, or shall be, attached to a node. */
export interface VolumeAttachment extends KubernetesObject {
  spec?: { nodeName?: string; source?: { persistentVolumeName?: string } };
}

/** A volume that is, or shall be, attached to a node. */
export const VolumeAttachment = builtInKind<VolumeAttachment>({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
});

/** Which volume a pod has been given. */
export interface PersistentVolumeClaim extends KubernetesObject {
  spec?: { volumeName?: string };
}

/** Which volume a pod has been given. */
export const PersistentVolumeClaim = builtInKind<PersistentVolumeClaim>({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
});

/** A volume, and how its driver calls it. */
export interface PersistentVolume extends KubernetesObject {
  spec?: { csi?: { volumeHandle?: string } };
}

/** A volume, and how its driver calls it. */
export const PersistentVolume = builtInKind<PersistentVolume>({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
});
