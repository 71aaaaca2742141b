import { builtInKind, type KubernetesObject, type LabelSelectorLike } from "@capstan/api";

/** An eviction, posted to the eviction subresource of a pod. */
export interface Eviction extends KubernetesObject {
  deleteOptions?: { gracePeriodSeconds?: number; preconditions?: { uid?: string } };
}

/** The kind of evictions. The path is in the core group, and the object in another one. */
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

export interface PodDisruptionBudget extends KubernetesObject {
  spec?: { selector?: LabelSelectorLike };
}

export const PodDisruptionBudget = builtInKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
});

export const DaemonSet = builtInKind<KubernetesObject>({
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  plural: "daemonsets",
  namespaced: true,
});

export interface VolumeAttachment extends KubernetesObject {
  spec?: { nodeName?: string; source?: { persistentVolumeName?: string } };
}

export const VolumeAttachment = builtInKind<VolumeAttachment>({
  group: "storage.k8s.io",
  version: "v1",
  kind: "VolumeAttachment",
  plural: "volumeattachments",
  namespaced: false,
});

export interface PersistentVolumeClaim extends KubernetesObject {
  spec?: { volumeName?: string };
}

export const PersistentVolumeClaim = builtInKind<PersistentVolumeClaim>({
  group: "",
  version: "v1",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  namespaced: true,
});

export interface PersistentVolume extends KubernetesObject {
  spec?: { csi?: { volumeHandle?: string } };
}

export const PersistentVolume = builtInKind<PersistentVolume>({
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  namespaced: false,
});
