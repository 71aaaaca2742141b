import type { Draft } from "../../storage/storage.ts";
import { defaultNamespace, defaultNode, defaultSecret, defaultSpec } from "./core.ts";
import { defaultPod } from "./pod.ts";
import { defaultBinding } from "./rbac.ts";
import { defaultService } from "./service.ts";
import {
  defaultDaemonSet,
  defaultDeployment,
  defaultJob,
  defaultReplicaSet,
  defaultStatefulSet,
} from "./workloads.ts";

/** Sets the defaults of objects of a kind, by `group/kind`, so that clients always read complete objects. */
export const builtInDefaults: Readonly<Record<string, (draft: Draft) => void>> = {
  "/Node": defaultNode,
  "/Pod": defaultPod,
  "/Namespace": defaultNamespace,
  "/Secret": defaultSecret,
  "/Service": defaultService,
  "apps/DaemonSet": defaultDaemonSet,
  "apps/Deployment": defaultDeployment,
  "apps/ReplicaSet": defaultReplicaSet,
  "apps/StatefulSet": defaultStatefulSet,
  "batch/Job": defaultJob,
  "coordination.k8s.io/Lease": defaultSpec,
  "policy/PodDisruptionBudget": defaultSpec,
  "rbac.authorization.k8s.io/ClusterRoleBinding": defaultBinding,
  "rbac.authorization.k8s.io/RoleBinding": defaultBinding,
};
