/** Labels, annotations, taints and finalizers that Cluster API defines. */

/** Label: the cluster an object belongs to. */
export const CLUSTER_NAME_LABEL = "cluster.x-k8s.io/cluster-name";
/** Label: the MachineDeployment a machine belongs to. */
export const DEPLOYMENT_NAME_LABEL = "cluster.x-k8s.io/deployment-name";
/** Label: the MachineSet a machine belongs to. */
export const SET_NAME_LABEL = "cluster.x-k8s.io/set-name";
/** Label: the template of a MachineDeployment that a MachineSet was created for. */
export const TEMPLATE_HASH_LABEL = "machine-template-hash";
/** Label: the MachinePool a machine belongs to. */
export const POOL_NAME_LABEL = "cluster.x-k8s.io/pool-name";
/** Label: the machine is part of the control plane. */
export const CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane";
/** Label: the control plane a machine belongs to. */
export const CONTROL_PLANE_NAME_LABEL = "cluster.x-k8s.io/control-plane-name";
/** Label: only the manager with this filter reconciles the object. */
export const WATCH_LABEL = "cluster.x-k8s.io/watch-filter";

/** Annotation: controllers ignore the object. */
export const PAUSED_ANNOTATION = "cluster.x-k8s.io/paused";
/** Annotation: this machine is deleted first when some must be. */
export const DELETE_MACHINE_ANNOTATION = "cluster.x-k8s.io/delete-machine";
/** Annotation: health checks ignore the machine. */
export const SKIP_REMEDIATION_ANNOTATION = "cluster.x-k8s.io/skip-remediation";
/** Annotation: `clusterctl move` waits until it is removed. */
export const BLOCK_MOVE_ANNOTATION = "clusterctl.cluster.x-k8s.io/block-move";
/** Annotation: the machine is unhealthy, regardless of its conditions. */
export const REMEDIATE_MACHINE_ANNOTATION = "cluster.x-k8s.io/remediate-machine";
/** Annotation: an external controller, such as an autoscaler, sets the replicas. */
export const REPLICAS_MANAGED_BY_ANNOTATION = "cluster.x-k8s.io/replicas-managed-by";
/** Annotation: an external controller provisions the infrastructure of the object. */
export const MANAGED_BY_ANNOTATION = "cluster.x-k8s.io/managed-by";
/** Annotation: the template an object was cloned from. */
export const CLONED_FROM_NAME_ANNOTATION = "cluster.x-k8s.io/cloned-from-name";
/** Annotation: the kind of the template an object was cloned from, as `Kind.group`. */
export const CLONED_FROM_GROUP_KIND_ANNOTATION = "cluster.x-k8s.io/cloned-from-groupkind";
/** Annotation: the smallest size that the autoscaler may set. */
export const AUTOSCALER_MIN_SIZE_ANNOTATION = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size";
/** Annotation: the largest size that the autoscaler may set. */
export const AUTOSCALER_MAX_SIZE_ANNOTATION = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size";
/** Annotation: the machine is deleted without draining its node. */
export const EXCLUDE_NODE_DRAINING_ANNOTATION = "machine.cluster.x-k8s.io/exclude-node-draining";
/** Annotation: the machine is deleted without waiting for its volumes. */
export const EXCLUDE_VOLUME_DETACH_ANNOTATION =
  "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach";
/** Annotation: preflight checks that a MachineSet skips before it creates a machine. */
export const SKIP_PREFLIGHT_CHECKS_ANNOTATION = "machineset.cluster.x-k8s.io/skip-preflight-checks";
/** Annotation: the MachineSet creates no machines, because its MachineDeployment has a newer one. */
export const DISABLE_MACHINE_CREATE_ANNOTATION = "cluster.x-k8s.io/disable-machine-create";
/** Annotation: the number of the template of a MachineSet among all templates of its MachineDeployment. */
export const REVISION_ANNOTATION = "machinedeployment.clusters.x-k8s.io/revision";
/** Annotation: earlier numbers of a template that was used again. */
export const REVISION_HISTORY_ANNOTATION = "machinedeployment.clusters.x-k8s.io/revision-history";
/** Annotation: the replicas of the MachineDeployment of a MachineSet. */
export const DESIRED_REPLICAS_ANNOTATION = "machinedeployment.clusters.x-k8s.io/desired-replicas";
/** Annotation: the most machines that the MachineDeployment of a MachineSet may have. */
export const MAX_REPLICAS_ANNOTATION = "machinedeployment.clusters.x-k8s.io/max-replicas";
/** Prefix of annotations that block a deletion before the node is drained. */
export const PRE_DRAIN_HOOK_PREFIX = "pre-drain.delete.hook.machine.cluster.x-k8s.io";
/** Prefix of annotations that block a deletion before the infrastructure is deleted. */
export const PRE_TERMINATE_HOOK_PREFIX = "pre-terminate.delete.hook.machine.cluster.x-k8s.io";

/** Annotation: a machine, its infrastructure or its bootstrap config is being updated in place, or is about to be. */
export const UPDATE_IN_PROGRESS_ANNOTATION = "in-place-updates.internal.cluster.x-k8s.io/update-in-progress";
/** Annotation: hooks that must be called for the machine, separated by commas. */
export const PENDING_HOOKS_ANNOTATION = "runtime.cluster.x-k8s.io/pending-hooks";
/** The hook in the annotation of pending hooks: the desired state is written, and updaters may run. */
export const UPDATE_MACHINE_HOOK = "UpdateMachine";
/** Annotation of a MachineSet: machines that its MachineDeployment is about to move to it, separated by commas. */
export const RECEIVES_MACHINES_ANNOTATION = "in-place-updates.capstan.dev/receives-machines";
/** Annotation of a MachineSet: machines that its MachineDeployment is about to move away, separated by commas. */
export const HANDS_OVER_MACHINES_ANNOTATION = "in-place-updates.capstan.dev/hands-over-machines";
/** Annotation of a MachineSet: one of its machines was added only to stand in for machines that are updated in place. */
export const SPARE_MACHINE_ANNOTATION = "in-place-updates.capstan.dev/has-spare-machine";
/** Annotation of a MachineSet or a KubeadmControlPlane: the updates in place of its machines that it has started, as JSON by machine. */
export const STARTED_UPDATES_ANNOTATION = "in-place-updates.capstan.dev/started-updates";
/** Annotation of a Machine: an update in place changes its version, from this one. Until it ends, the kubelet is checked. */
export const UPDATED_FROM_VERSION_ANNOTATION = "in-place-updates.capstan.dev/from-version";
/** Annotation of a Machine: a new value makes a failed update start again. */
export const RETRY_UPDATE_ANNOTATION = "in-place-updates.capstan.dev/retry";
/** Annotation of a KubeadmControlPlane: the update, as its condition names it, that the other machines may follow. */
export const APPROVED_UPDATE_ANNOTATION = "in-place-updates.capstan.dev/approved-update";
/** Annotation of a MachineDeployment or a KubeadmControlPlane: with the value `required`, one machine is updated before the others need an approval. */
export const UPDATE_APPROVAL_ANNOTATION = "in-place-updates.capstan.dev/approval";
/** Annotation of a MachineDeployment: the MachineSet to which all other machines may be updated. */
export const UPDATE_APPROVED_ANNOTATION = "in-place-updates.capstan.dev/approved-machine-set";
/** Annotation of an ExtensionConfig: a number; updaters with a lower one are asked first. */
export const UPDATER_ORDER_ANNOTATION = "in-place-updates.capstan.dev/order";
/** Annotation of an ExtensionConfig: the Secret, as `namespace/name`, whose `ca.crt` becomes its caBundle. */
export const INJECT_CA_ANNOTATION = "runtime.cluster.x-k8s.io/inject-ca-from-secret";

/** Taint: Cluster API has not initialized the node yet. */
export const UNINITIALIZED_TAINT = "node.cluster.x-k8s.io/uninitialized";
/** Taint: the node has an old revision and will be deleted. */
export const OUTDATED_REVISION_TAINT = "node.cluster.x-k8s.io/outdated-revision";

/** Whether an object has the paused annotation; any value counts. */
export function isPausedByAnnotation({
  metadata,
}: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): boolean {
  return metadata.annotations?.[PAUSED_ANNOTATION] !== undefined;
}

/** How many old MachineSets a MachineDeployment keeps, for `capstan rollout undo`: v1beta2 has no field for it. */
export const REVISION_HISTORY_LIMIT_ANNOTATION = "capstan.dev/revision-history-limit";
