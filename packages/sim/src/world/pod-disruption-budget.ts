import { builtInKind, type KubernetesObject, type LabelSelector } from "@capstan/api";

/** How many pods may be away at the same time. */
export interface PodDisruptionBudget extends KubernetesObject {
  spec: { minAvailable?: number | string; maxUnavailable?: number | string; selector: LabelSelector };
}

/** How many pods may be away at the same time. */
export const PodDisruptionBudget = builtInKind<PodDisruptionBudget>({
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
  subresources: ["status"],
});
