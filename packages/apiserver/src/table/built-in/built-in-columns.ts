import type { Column } from "../column.ts";
import {
  configMapColumns,
  leaseColumns,
  namespaceColumns,
  secretColumns,
  serviceAccountColumns,
  serviceColumns,
  volumeAttachmentColumns,
} from "./core-columns.ts";
import { eventColumns } from "./event-columns.ts";
import { nodeColumns } from "./node-columns.ts";
import { podColumns } from "./pod-columns.ts";
import { bindingColumns, plainColumns } from "./rbac-columns.ts";
import {
  daemonSetColumns,
  deploymentColumns,
  disruptionBudgetColumns,
  jobColumns,
  replicaSetColumns,
  statefulSetColumns,
} from "./workload-columns.ts";

const COLUMNS: ReadonlyMap<string, readonly Column[]> = new Map([
  ["/ConfigMap", configMapColumns],
  ["/Event", eventColumns],
  ["/Namespace", namespaceColumns],
  ["/Node", nodeColumns],
  ["/Pod", podColumns],
  ["/Secret", secretColumns],
  ["/Service", serviceColumns],
  ["/ServiceAccount", serviceAccountColumns],
  ["apps/DaemonSet", daemonSetColumns],
  ["apps/Deployment", deploymentColumns],
  ["apps/ReplicaSet", replicaSetColumns],
  ["apps/StatefulSet", statefulSetColumns],
  ["batch/Job", jobColumns],
  ["coordination.k8s.io/Lease", leaseColumns],
  ["events.k8s.io/Event", eventColumns],
  ["policy/PodDisruptionBudget", disruptionBudgetColumns],
  ["rbac.authorization.k8s.io/ClusterRoleBinding", bindingColumns],
  ["rbac.authorization.k8s.io/RoleBinding", bindingColumns],
  ["storage.k8s.io/VolumeAttachment", volumeAttachmentColumns],
]);

/** The columns of one of Kubernetes' own kinds; name and creation for those without others. */
export function builtInColumns({
  group,
  kind,
}: {
  readonly group: string;
  readonly kind: string;
}): readonly Column[] {
  return COLUMNS.get(`${group}/${kind}`) ?? plainColumns;
}
