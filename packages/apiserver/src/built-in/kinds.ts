import {
  builtInKind,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Event,
  type Kind,
  Lease,
  Namespace,
  Node,
  Pod,
  Role,
  RoleBinding,
  Secret,
} from "@capstan/api";

import { PodDisruptionBudget } from "./disruption-budget.ts";

type Names = Parameters<typeof builtInKind>[0];

const kinds =
  (group: string) =>
  (kind: string, plural: string, rest: Partial<Names> = {}): Kind =>
    builtInKind({ group, version: "v1", kind, plural, namespaced: true, ...rest });

const core = kinds("");
const apps = kinds("apps");
const authentication = kinds("authentication.k8s.io");
const authorization = kinds("authorization.k8s.io");

const CLUSTER: Partial<Names> = { namespaced: false };
const WITH_STATUS: Partial<Names> = { subresources: ["status"] };
const SCALED: Partial<Names> = { subresources: ["status", "scale"] };

/** Reviews of permissions: answered and never stored. */
const reviews: readonly Kind[] = [
  authorization("SelfSubjectAccessReview", "selfsubjectaccessreviews", CLUSTER),
  authorization("SelfSubjectRulesReview", "selfsubjectrulesreviews", CLUSTER),
  authorization("SubjectAccessReview", "subjectaccessreviews", CLUSTER),
  authorization("LocalSubjectAccessReview", "localsubjectaccessreviews"),
  authentication("SelfSubjectReview", "selfsubjectreviews", CLUSTER),
  authentication("TokenReview", "tokenreviews", CLUSTER),
];

/** Kubernetes' own kinds that a whole cluster serves. */
export const builtInKinds: readonly Kind[] = [
  Namespace,
  Secret,
  ConfigMap,
  Event,
  Node,
  Pod,
  core("Service", "services", WITH_STATUS),
  core("ServiceAccount", "serviceaccounts", { subresources: ["token"] }),
  kinds("events.k8s.io")("Event", "events"),
  Lease,
  apps("Deployment", "deployments", SCALED),
  apps("ReplicaSet", "replicasets", SCALED),
  apps("DaemonSet", "daemonsets", WITH_STATUS),
  apps("StatefulSet", "statefulsets", SCALED),
  kinds("batch")("Job", "jobs", WITH_STATUS),
  PodDisruptionBudget,
  kinds("storage.k8s.io")("VolumeAttachment", "volumeattachments", { ...CLUSTER, ...WITH_STATUS }),
  Role,
  ClusterRole,
  RoleBinding,
  ClusterRoleBinding,
  ...reviews,
];
