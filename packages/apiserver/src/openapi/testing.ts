import { customKinds, openApiSchema } from "@capstan/api";
import type { DocumentedKind } from "./documented-kind.ts";

const VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const PART_VERBS = ["get", "patch", "update"];

/** A kind of Kubernetes itself, with a status. */
export function builtIn(group: string, kind: string, namespaced = true): DocumentedKind {
  const names = { group, version: "v1", kind };
  return {
    ...names,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    isCustom: false,
    verbs: VERBS,
    subresources: [{ ...names, name: "status", verbs: PART_VERBS }],
  };
}

/** Kubernetes' own kinds that have a schema. */
export const builtInKinds: readonly DocumentedKind[] = [
  ...["Secret", "ConfigMap", "Event", "ServiceAccount", "Pod", "Service"].map((kind) => builtIn("", kind)),
  ...["Namespace", "Node"].map((kind) => builtIn("", kind, false)),
  ...["Deployment", "ReplicaSet", "DaemonSet", "StatefulSet"].map((kind) => builtIn("apps", kind)),
  ...["Role", "RoleBinding"].map((kind) => builtIn("rbac.authorization.k8s.io", kind)),
  ...["ClusterRole", "ClusterRoleBinding"].map((kind) => builtIn("rbac.authorization.k8s.io", kind, false)),
  builtIn("batch", "Job"),
  builtIn("policy", "PodDisruptionBudget"),
  builtIn("coordination.k8s.io", "Lease"),
  builtIn("events.k8s.io", "Event"),
  builtIn("storage.k8s.io", "VolumeAttachment", false),
  builtIn("apiextensions.k8s.io", "CustomResourceDefinition", false),
];

/** Every served kind: those above and ours. */
export const allKinds: readonly DocumentedKind[] = [
  ...builtInKinds,
  ...customKinds.map((kind) => ({
    ...kind,
    isCustom: true,
    verbs: VERBS,
    subresources: kind.subresources.map((name) => ({
      name,
      ...(name === "scale" ? { group: "autoscaling", version: "v1", kind: "Scale" } : kind),
      verbs: PART_VERBS,
    })),
    schema: openApiSchema(kind),
  })),
];
