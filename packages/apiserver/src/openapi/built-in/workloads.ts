import type { Block } from "../notation.ts";

const CONDITION_FIELDS = `type! string | Which aspect.
status! string | True, False or Unknown.
lastTransitionTime time | When the status changed last.
reason string | Why, in one word.
message string | Why, in a sentence.`;

/** What keeps pods running. */
export const apps: Block = {
  prefix: "io.k8s.api.apps.v1",
  group: "apps",
  version: "v1",
  text: `
#kind Deployment | Keeps a number of pods running and rolls out changes.
spec DeploymentSpec | What is wanted.
status DeploymentStatus | What there is.

# DeploymentSpec | What a deployment is wanted to be.
replicas int32 | The number of pods.
selector! LabelSelector | The pods that are its own.
template! PodTemplateSpec | What its pods are made from.
strategy DeploymentStrategy retain | How changes are rolled out.
minReadySeconds int32 | How long a new pod must be ready to count.
revisionHistoryLimit int32 | How many old revisions are kept.
paused boolean | Whether changes wait.
progressDeadlineSeconds int32 | How long a roll-out may stand still.

# DeploymentStrategy | How changes are rolled out.
type string | Recreate or RollingUpdate.
rollingUpdate object | How many pods may be too many or missing.

# DeploymentStatus | What has become of a deployment.
observedGeneration int64 | The generation that this was found for.
replicas int32 | The pods there are.
updatedReplicas int32 | The pods of the newest template.
readyReplicas int32 | The pods that are ready.
availableReplicas int32 | The pods that are ready for long enough.
unavailableReplicas int32 | The pods that are missing.
terminatingReplicas int32 | The pods that are going.
conditions []DeploymentCondition merge=type | How it is.
collisionCount int32 | How often a name was taken.

# DeploymentCondition | One aspect of a deployment.
lastUpdateTime time | When it was looked at last.
${CONDITION_FIELDS}

#kind ReplicaSet | Keeps a number of pods running.
spec ReplicaSetSpec | What is wanted.
status ReplicaSetStatus | What there is.

# ReplicaSetSpec | What a replica set is wanted to be.
replicas int32 | The number of pods.
minReadySeconds int32 | How long a new pod must be ready to count.
selector! LabelSelector | The pods that are its own.
template PodTemplateSpec | What its pods are made from.

# ReplicaSetStatus | What has become of a replica set.
replicas! int32 | The pods there are.
fullyLabeledReplicas int32 | The pods with all labels of the template.
readyReplicas int32 | The pods that are ready.
availableReplicas int32 | The pods that are ready for long enough.
terminatingReplicas int32 | The pods that are going.
observedGeneration int64 | The generation that this was found for.
conditions []WorkloadCondition merge=type | How it is.

# WorkloadCondition | One aspect of a set of pods.
${CONDITION_FIELDS}

#kind DaemonSet | Keeps a pod running on every node.
spec DaemonSetSpec | What is wanted.
status DaemonSetStatus | What there is.

# DaemonSetSpec | What a daemon set is wanted to be.
selector! LabelSelector | The pods that are its own.
template! PodTemplateSpec | What its pods are made from.
updateStrategy UpdateStrategy | How changes are rolled out.
minReadySeconds int32 | How long a new pod must be ready to count.
revisionHistoryLimit int32 | How many old revisions are kept.

# UpdateStrategy | How changes are rolled out.
type string | RollingUpdate or OnDelete.
rollingUpdate object | How many pods may be too many or missing.

# DaemonSetStatus | What has become of a daemon set.
currentNumberScheduled! int32 | The nodes that have the pod they need.
desiredNumberScheduled! int32 | The nodes that need a pod.
numberMisscheduled! int32 | The nodes that have a pod and need none.
numberReady! int32 | The nodes whose pod is ready.
numberAvailable int32 | The nodes whose pod is ready for long enough.
numberUnavailable int32 | The nodes whose pod is missing.
updatedNumberScheduled int32 | The nodes with a pod of the newest template.
observedGeneration int64 | The generation that this was found for.
collisionCount int32 | How often a name was taken.
conditions []WorkloadCondition merge=type | How it is.

#kind StatefulSet | Keeps pods with lasting names running.
spec StatefulSetSpec | What is wanted.
status StatefulSetStatus | What there is.

# StatefulSetSpec | What a stateful set is wanted to be.
replicas int32 | The number of pods.
selector! LabelSelector | The pods that are its own.
template! PodTemplateSpec | What its pods are made from.
serviceName string | The service that names its pods.
volumeClaimTemplates []object | What the volumes of its pods are made from.
podManagementPolicy string | OrderedReady or Parallel.
updateStrategy UpdateStrategy | How changes are rolled out.
revisionHistoryLimit int32 | How many old revisions are kept.
minReadySeconds int32 | How long a new pod must be ready to count.
ordinals object | How its pods are numbered.
persistentVolumeClaimRetentionPolicy object | When the volumes go.

# StatefulSetStatus | What has become of a stateful set.
replicas! int32 | The pods there are.
readyReplicas int32 | The pods that are ready.
availableReplicas int32 | The pods that are ready for long enough.
currentReplicas int32 | The pods of the current revision.
updatedReplicas int32 | The pods of the newest revision.
currentRevision string | The current revision.
updateRevision string | The newest revision.
observedGeneration int64 | The generation that this was found for.
collisionCount int32 | How often a name was taken.
conditions []WorkloadCondition merge=type | How it is.
`,
};

/** What runs pods to their end. */
export const batch: Block = {
  prefix: "io.k8s.api.batch.v1",
  group: "batch",
  version: "v1",
  text: `
#kind Job | Runs pods until enough of them have succeeded.
spec JobSpec | What is wanted.
status JobStatus | What there is.

# JobSpec | What a job is wanted to do.
template! PodTemplateSpec | What its pods are made from.
completions int32 | How many pods must succeed.
parallelism int32 | How many pods run at once.
activeDeadlineSeconds int64 | How long it may take.
backoffLimit int32 | How many pods may fail.
backoffLimitPerIndex int32 | How many pods may fail for each index.
maxFailedIndexes int32 | How many indexes may fail.
completionMode string | NonIndexed or Indexed.
selector LabelSelector | The pods that are its own. Set by the server.
manualSelector boolean | Whether the selector was written by hand.
suspend boolean | Whether it waits.
ttlSecondsAfterFinished int32 | When it goes after its end.
podFailurePolicy object | What a failure means.
podReplacementPolicy string | When a pod is replaced.
successPolicy object | When it has succeeded.
managedBy string | Who runs it.

# JobStatus | How far a job is.
startTime time | When it began.
completionTime time | When it was done.
active int32 | The pods that run.
ready int32 | The pods that are ready.
succeeded int32 | The pods that succeeded.
failed int32 | The pods that failed.
terminating int32 | The pods that are going.
completedIndexes string | The indexes that succeeded.
failedIndexes string | The indexes that failed.
conditions []JobCondition merge=type atomic | How it is.
uncountedTerminatedPods object | The pods that are not counted yet.

# JobCondition | One aspect of a job.
lastProbeTime time | When it was looked at last.
${CONDITION_FIELDS}
`,
};
