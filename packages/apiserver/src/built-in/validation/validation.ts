import type { FieldProblem } from "../../schema/problem.ts";
import type { Draft, StoredObject } from "../../storage/storage.ts";
import { olderEvent } from "../event-forms.ts";
import { configMapProblems } from "./config-map.ts";
import { daemonSetProblems } from "./daemon-set.ts";
import { deploymentProblems, replicaSetProblems } from "./deployment.ts";
import { disruptionBudgetProblems } from "./disruption-budget.ts";
import { eventProblems, newEventProblems } from "./event.ts";
import { jobProblems } from "./job.ts";
import { leaseProblems } from "./lease.ts";
import { namespaceProblems } from "./namespace.ts";
import { nodeProblems } from "./node.ts";
import { podProblems } from "./pod.ts";
import {
  clusterRoleBindingProblems,
  clusterRoleProblems,
  roleBindingProblems,
  roleProblems,
} from "./rbac.ts";
import { secretProblems } from "./secret.ts";
import { serviceProblems } from "./service.ts";
import { statefulSetProblems } from "./stateful-set.ts";
import { volumeAttachmentProblems } from "./volume-attachment.ts";

/** Validates an object; `old` is the object that it replaces. */
export type Validation = (draft: Draft, old: StoredObject | undefined) => FieldProblem[];

/** The validation of objects of a kind, by `group/kind`. */
export const builtInValidation: Readonly<Record<string, Validation>> = {
  "/ConfigMap": configMapProblems,
  "/Event": eventProblems,
  "/Namespace": namespaceProblems,
  "/Node": nodeProblems,
  "/Pod": podProblems,
  "/Secret": secretProblems,
  "/Service": serviceProblems,
  "apps/DaemonSet": daemonSetProblems,
  "apps/Deployment": deploymentProblems,
  "apps/ReplicaSet": replicaSetProblems,
  "apps/StatefulSet": statefulSetProblems,
  "batch/Job": jobProblems,
  "coordination.k8s.io/Lease": leaseProblems,
  "events.k8s.io/Event": (draft, old) => newEventProblems(olderEvent(draft) as Draft, old && olderEvent(old)),
  "policy/PodDisruptionBudget": disruptionBudgetProblems,
  "rbac.authorization.k8s.io/ClusterRole": clusterRoleProblems,
  "rbac.authorization.k8s.io/ClusterRoleBinding": clusterRoleBindingProblems,
  "rbac.authorization.k8s.io/Role": roleProblems,
  "rbac.authorization.k8s.io/RoleBinding": roleBindingProblems,
  "storage.k8s.io/VolumeAttachment": volumeAttachmentProblems,
};
