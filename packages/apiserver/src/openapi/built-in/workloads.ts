import type { Block } from "../notation.ts";

/** The fields of all conditions; the numbers of the last three fields differ. */
const conditionFields = (time: number, reason: number, message: number): string => `
1 type! string | The type of the condition.
2 status! string | True, False or Unknown.
${time} lastTransitionTime time | When the status last changed.
${reason} reason string | The reason, in CamelCase.
${message} message string | The reason, for people.`;

/** Workloads that keep pods running. */
export const apps: Block = {
  prefix: "io.k8s.api.apps.v1",
  group: "apps",
  version: "v1",
  text: `
#kind Deployment | Keeps a number of pods running and rolls out changes.
2 spec DeploymentSpec present | The desired state.
3 status DeploymentStatus present | The observed state.

# DeploymentSpec | The desired state of a deployment.
1 replicas *int32 | The number of pods.
2 selector! LabelSelector | Selects its pods.
3 template! PodTemplateSpec present | The template of its pods.
4 strategy DeploymentStrategy retain present | How changes are rolled out.
5 minReadySeconds int32 | How long a new pod must be ready to count.
6 revisionHistoryLimit *int32 | How many old revisions are kept.
7 paused boolean | Whether rollouts are paused.
9 progressDeadlineSeconds *int32 | How long a rollout may make no progress.

# DeploymentStrategy | How changes are rolled out.
1 type string | Recreate or RollingUpdate.
2 rollingUpdate RollingUpdateDeployment | How many pods may exist beyond the desired number or be unavailable.

# DeploymentStatus | The observed state of a deployment.
1 observedGeneration int64 | The generation that the controller observed.
2 replicas int32 | The number of pods.
3 updatedReplicas int32 | The pods of the newest template.
7 readyReplicas int32 | The pods that are ready.
4 availableReplicas int32 | The pods that have been ready for long enough.
5 unavailableReplicas int32 | The pods that are not available.
9 terminatingReplicas *int32 | The pods that are being deleted.
6 conditions []DeploymentCondition merge=type | Its conditions.
8 collisionCount *int32 | How often a generated name was taken.

# DeploymentCondition | A condition of a deployment.
6 lastUpdateTime time | When it was last checked.
${conditionFields(7, 4, 5)}

#kind ReplicaSet | Keeps a number of pods running.
2 spec ReplicaSetSpec present | The desired state.
3 status ReplicaSetStatus present | The observed state.

# ReplicaSetSpec | The desired state of a replica set.
1 replicas *int32 | The number of pods.
4 minReadySeconds int32 | How long a new pod must be ready to count.
2 selector! LabelSelector | Selects its pods.
3 template PodTemplateSpec present | The template of its pods.

# ReplicaSetStatus | The observed state of a replica set.
1 replicas! int32 | The number of pods.
2 fullyLabeledReplicas int32 | The pods with all labels of the template.
4 readyReplicas int32 | The pods that are ready.
5 availableReplicas int32 | The pods that have been ready for long enough.
7 terminatingReplicas *int32 | The pods that are being deleted.
3 observedGeneration int64 | The generation that the controller observed.
6 conditions []WorkloadCondition merge=type | Its conditions.

# WorkloadCondition | A condition of a set of pods.
${conditionFields(3, 4, 5)}

#kind DaemonSet | Keeps a pod running on every node.
2 spec DaemonSetSpec present | The desired state.
3 status DaemonSetStatus present | The observed state.

# DaemonSetSpec | The desired state of a daemon set.
1 selector! LabelSelector | Selects its pods.
2 template! PodTemplateSpec present | The template of its pods.
3 updateStrategy DaemonSetUpdateStrategy present | How changes are rolled out.
4 minReadySeconds int32 | How long a new pod must be ready to count.
6 revisionHistoryLimit *int32 | How many old revisions are kept.

# DaemonSetUpdateStrategy | How changes are rolled out.
1 type string | RollingUpdate or OnDelete.
2 rollingUpdate RollingUpdateDaemonSet | How many pods may exist beyond the desired number or be unavailable.

# RollingUpdateDaemonSet | How many pods may exist beyond the desired number or be unavailable.
1 maxUnavailable intOrString; 2 maxSurge intOrString

# DaemonSetStatus | The observed state of a daemon set.
1 currentNumberScheduled! int32 | The nodes that have the pod they need.
3 desiredNumberScheduled! int32 | The nodes that need a pod.
2 numberMisscheduled! int32 | The nodes that have a pod and need none.
4 numberReady! int32 | The nodes whose pod is ready.
7 numberAvailable int32 | The nodes whose pod has been ready for long enough.
8 numberUnavailable int32 | The nodes whose pod is missing.
6 updatedNumberScheduled int32 | The nodes with a pod of the newest template.
5 observedGeneration int64 | The generation that the controller observed.
9 collisionCount *int32 | How often a generated name was taken.
10 conditions []WorkloadCondition merge=type | Its conditions.

#kind StatefulSet | Keeps pods with lasting names running.
2 spec StatefulSetSpec present | The desired state.
3 status StatefulSetStatus present | The observed state.

# StatefulSetSpec | The desired state of a stateful set.
1 replicas *int32 | The number of pods.
2 selector! LabelSelector | Selects its pods.
3 template! PodTemplateSpec present | The template of its pods.
5 serviceName *string | The service that names its pods.
4 volumeClaimTemplates []PersistentVolumeClaim | What the volumes of its pods are made from.
6 podManagementPolicy string | OrderedReady or Parallel.
7 updateStrategy StatefulSetUpdateStrategy present | How changes are rolled out.
8 revisionHistoryLimit *int32 | How many old revisions are kept.
9 minReadySeconds int32 | How long a new pod must be ready to count.
11 ordinals StatefulSetOrdinals | How its pods are numbered.
10 persistentVolumeClaimRetentionPolicy StatefulSetPersistentVolumeClaimRetentionPolicy | When the volumes are deleted.

# StatefulSetStatus | The observed state of a stateful set.
2 replicas! int32 | The number of pods.
3 readyReplicas int32 | The pods that are ready.
11 availableReplicas *int32 | The pods that have been ready for long enough.
4 currentReplicas int32 | The pods of the current revision.
5 updatedReplicas int32 | The pods of the newest revision.
6 currentRevision string | The current revision.
7 updateRevision string | The newest revision.
1 observedGeneration int64 | The generation that the controller observed.
9 collisionCount *int32 | How often a generated name was taken.
10 conditions []WorkloadCondition merge=type | Its conditions.

# RollingUpdateDeployment | How many pods may exist beyond the desired number or be unavailable.
1 maxUnavailable intOrString; 2 maxSurge intOrString

# StatefulSetUpdateStrategy | How changes are rolled out.
1 type string | RollingUpdate or OnDelete.
2 rollingUpdate RollingUpdateStatefulSetStrategy | Which pods are updated, and how many may be unavailable.

# RollingUpdateStatefulSetStrategy | Which pods are updated, and how many may be unavailable.
1 partition *int32; 2 maxUnavailable intOrString

# StatefulSetOrdinals | How pods are numbered.
1 start *int32

# StatefulSetPersistentVolumeClaimRetentionPolicy | When volumes are deleted.
1 whenDeleted string; 2 whenScaled string
`,
};

/** Workloads that run pods to completion. */
export const batch: Block = {
  prefix: "io.k8s.api.batch.v1",
  group: "batch",
  version: "v1",
  text: `
#kind Job | Runs pods until enough of them have succeeded.
2 spec JobSpec present | The desired state.
3 status JobStatus present | The observed state.

# JobSpec | The desired state of a job.
6 template! PodTemplateSpec present | The template of its pods.
2 completions *int32 | How many pods must succeed.
1 parallelism *int32 | How many pods run at once.
3 activeDeadlineSeconds *int64 | How long it may take.
7 backoffLimit *int32 | How many pods may fail.
12 backoffLimitPerIndex *int32 | How many pods may fail for each index.
13 maxFailedIndexes *int32 | How many indexes may fail.
9 completionMode *string | NonIndexed or Indexed.
4 selector LabelSelector | Selects its pods. Set by the server.
5 manualSelector *boolean | Whether the selector was written by hand.
10 suspend *boolean | Whether it is suspended.
8 ttlSecondsAfterFinished *int32 | How long it is kept after its end.
11 podFailurePolicy PodFailurePolicy | What a failure means.
14 podReplacementPolicy *string | When a pod is replaced.
16 successPolicy SuccessPolicy | When it has succeeded.
15 managedBy *string | Who runs it.

# JobStatus | The state of a job.
2 startTime time | When it began.
3 completionTime time | When it was done.
4 active int32 | The pods that run.
9 ready *int32 | The pods that are ready.
5 succeeded int32 | The pods that succeeded.
6 failed int32 | The pods that failed.
11 terminating *int32 | The pods that are being deleted.
7 completedIndexes string | The indexes that succeeded.
10 failedIndexes *string | The indexes that failed.
1 conditions []JobCondition merge=type atomic | Its conditions.
8 uncountedTerminatedPods UncountedTerminatedPods | The pods that are not counted yet.

# JobCondition | A condition of a job.
3 lastProbeTime time | When it was last checked.
${conditionFields(4, 5, 6)}

# PodFailurePolicy | What failures of pods mean.
1 rules! []PodFailurePolicyRule

# PodFailurePolicyRule | What some failures mean.
1 action! string; 2 onExitCodes PodFailurePolicyOnExitCodesRequirement
3 onPodConditions []PodFailurePolicyOnPodConditionsPattern

# PodFailurePolicyOnExitCodesRequirement | The exit codes that a rule applies to.
1 containerName *string; 2 operator! string; 3 values! []int32

# PodFailurePolicyOnPodConditionsPattern | The conditions of pods that a rule applies to.
1 type! string; 2 status *string

# SuccessPolicy | When a job has succeeded.
1 rules! []SuccessPolicyRule

# SuccessPolicyRule | Pods that suffice.
1 succeededIndexes *string; 2 succeededCount *int32

# UncountedTerminatedPods | Pods that have ended and are not counted yet.
1 succeeded []string; 2 failed []string
`,
};

/** Scale. */
export const autoscaling: Block = {
  prefix: "io.k8s.api.autoscaling.v1",
  group: "autoscaling",
  version: "v1",
  text: `
#kind Scale | How many pods an object has and should have.
2 spec ScaleSpec present | The desired state.
3 status ScaleStatus present | The observed state.

# ScaleSpec | The desired number.
1 replicas int32 | The number.

# ScaleStatus | The current number.
1 replicas! int32 | The number.
2 selector string | The labels of the pods.
`,
};
