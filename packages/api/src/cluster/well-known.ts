/** Labels, annotations, taints and finalizers with a meaning in Cluster API. */

/** Label: the cluster an object belongs to. */
export const CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name";
/** Label: the MachineDeployment a machine belongs to. */
export const DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name";
/** Label: the MachineSet a machine belongs to. */
export const SET_NAME_LABEL = "cluster.x-k8s.io/set-name";
/** Label: the MachinePool a machine belongs to. */
export const POOL_NAME_LABEL = "cluster.x-k8s.io/pool-name";
/** Label: the machine is part of the control plane. */
export const CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane";
/** Label: the control plane a machine belongs to. */
export const CONTROL_PLANE_NAME_LABEL = "cluster.x-k8s.io/control-plane-name";
/** Label: only the manager with this filter looks at the object. */
export const WATCH_LABEL = "cluster.x-k8s.io/watch-filter";

/** Annotation: controllers leave the object alone. */
export const PAUSED_ANNOTATION = "cluster.x-k8s.io/paused";
/** Annotation: this machine is the first to go when some must. */
export const DELETE_MACHINE_ANNOTATION = "cluster.x-k8s.io/delete-machine";
/** Annotation: health checks leave the machine alone. */
export const SKIP_REMEDIATION_ANNOTATION = "cluster.x-k8s.io/skip-remediation";
/** Annotation: the machine is unhealthy, whatever its conditions say. */
export const REMEDIATE_MACHINE_ANNOTATION = "cluster.x-k8s.io/remediate-machine";
/** Annotation: somebody else, such as an autoscaler, sets the replicas. */
export const REPLICAS_MANAGED_BY_ANNOTATION = "cluster.x-k8s.io/replicas-managed-by";
/** Annotation: somebody else provisions the infrastructure of the object. */
export const MANAGED_BY_ANNOTATION = "cluster.x-k8s.io/managed-by";
/** Annotation: the template an object was cloned from. */
export const CLONED_FROM_NAME_ANNOTATION = "cluster.x-k8s.io/cloned-from-name";
/** Annotation: the kind of the template an object was cloned from, as `Kind.group`. */
export const CLONED_FROM_GROUP_KIND_ANNOTATION = "cluster.x-k8s.io/cloned-from-groupkind";
/** Annotation: the smallest size that the autoscaler may set. */
export const AUTOSCALER_MIN_SIZE_ANNOTATION = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
/** Annotation: the largest size that the autoscaler may set. */
export const AUTOSCALER_MAX_SIZE_ANNOTATION = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/** Annotation: the machine goes without its node being drained. */
export const EXCLUDE_NODE_DRAINING_ANNOTATION = "machine.cluster.x-k8s.io/exclude-node-draining";
/** Annotation: the machine goes without waiting for its volumes. */
export const EXCLUDE_VOLUME_DETACH_ANNOTATION =
  "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach";
/** Annotation: checks that a MachineSet leaves out before it creates a machine. */
export const SKIP_PREFLIGHT_CHECKS_ANNOTATION = "machineset.cluster.x-k8s.io/skip-preflight-checks";
/** Prefix of annotations that hold a machine back before its node is drained. */
export const PRE_DRAIN_HOOK_PREFIX = "pre-drain.delete.hook.machine.cluster.x-k8s.io";
/** Prefix of annotations that hold a machine back before its infrastructure goes. */
export const PRE_TERMINATE_HOOK_PREFIX = "pre-terminate.delete.hook.machine.cluster.x-k8s.io";

/** Taint: the node has not been looked at by Cluster API yet. */
export const UNINITIALIZED_TAINT = "node.cluster.x-k8s.io/uninitialized";
/** Taint: the node is of an old revision and will go. */
export const OUTDATED_REVISION_TAINT = "node.cluster.x-k8s.io/outdated-revision";

/** Whether its annotation says that controllers leave an object alone: it counts by being there, whatever its value. */
export function isPausedByAnnotation({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): boolean {
  return metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}
