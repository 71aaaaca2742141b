import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";

/** A condition of a pod. */
export interface PodCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** One container of a pod, as far as controllers read it. */
export interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  resources?: {
    requests?: Record<string, number | string>;
    limits?: Record<string, number | string>;
  };
}

/** A volume of a pod, as far as draining needs it. */
export interface PodVolume {
  name: string;
  emptyDir?: Record<string, unknown>;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
}

/** A toleration of a pod. */
export interface Toleration {
  key?: string;
  operator?: "Exists" | "Equal";
  value?: string;
  effect?: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  tolerationSeconds?: number;
}

/** Containers that run together on one node. */
export interface Pod extends KubernetesObject {
  spec?: {
    nodeName?: string;
    containers: Container[];
    volumes?: PodVolume[];
    tolerations?: Toleration[];
    nodeSelector?: Record<string, string>;
    terminationGracePeriodSeconds?: number;
    priority?: number;
    priorityClassName?: string;
    restartPolicy?: "Always" | "OnFailure" | "Never";
  };
  status?: {
    phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
    conditions?: PodCondition[];
    reason?: string;
    message?: string;
    podIP?: string;
    startTime?: string;
  };
}

/** Containers that run together on one node. */
export const Pod = builtInKind<Pod>({
  group: "",
  version: "v1",
  kind: "Pod",
  plural: "pods",
  namespaced: true,
  subresources: ["status", "eviction", "binding"],
});
