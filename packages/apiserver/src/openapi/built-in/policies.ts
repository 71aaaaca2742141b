import type { Block } from "../notation.ts";

/** Limits on disruption. */
export const policy: Block = {
  prefix: "io.k8s.api.policy.v1",
  group: "policy",
  version: "v1",
  text: `
#kind PodDisruptionBudget | How many of some pods may be evicted at a time.
spec PodDisruptionBudgetSpec | What is wanted.
status PodDisruptionBudgetStatus | What there is.

# PodDisruptionBudgetSpec | The limits of a budget.
minAvailable intOrString | How many pods must stay, as a number or a percentage.
maxUnavailable intOrString | How many pods may be gone, as a number or a percentage.
selector LabelSelector replace | The pods it is about.
unhealthyPodEvictionPolicy string | Whether pods that are not ready count.

# PodDisruptionBudgetStatus | What a budget allows now.
observedGeneration int64 | The generation that this was found for.
disruptionsAllowed! int32 | How many pods may be evicted now.
currentHealthy! int32 | The pods that are ready.
desiredHealthy! int32 | The pods that must be ready.
expectedPods! int32 | The pods it is about.
disruptedPods {time} | The pods that were evicted and have not gone yet.
conditions []Condition merge=type | How it is.

#kind Eviction | Asks a pod to leave its node, within its budget.
deleteOptions DeleteOptions | How to delete the pod.
`,
};

/** Claims that are renewed. */
export const coordination: Block = {
  prefix: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  version: "v1",
  text: `
#kind Lease | A claim that its holder renews for as long as it wants to keep it.
spec LeaseSpec | The claim.

# LeaseSpec | A claim and its holder.
holderIdentity string | Who holds it.
leaseDurationSeconds int32 | How long it holds without being renewed.
acquireTime time | When it was taken.
renewTime time | When it was renewed last.
leaseTransitions int32 | How often its holder changed.
strategy string | How the holder is chosen.
preferredHolder string | Who should take it over.
`,
};

/** Who may do what. */
export const rbac: Block = {
  prefix: "io.k8s.api.rbac.v1",
  group: "rbac.authorization.k8s.io",
  version: "v1",
  text: `
#kind Role | Rights in one namespace.
rules []PolicyRule | The rights.

#kind ClusterRole | Rights that can be granted in any namespace, or everywhere.
rules []PolicyRule | The rights.
aggregationRule AggregationRule | The roles whose rights it collects.

#kind RoleBinding | Grants a role in one namespace.
subjects []Subject | Who gets it.
roleRef! RoleRef | The role. Cannot be changed.

#kind ClusterRoleBinding | Grants a role everywhere.
subjects []Subject | Who gets it.
roleRef! RoleRef | The role. Cannot be changed.

# PolicyRule | Some rights.
verbs! []string | What may be done; * for everything.
apiGroups []string | The groups of the resources.
resources []string | The resources; * for all.
resourceNames []string | The names of the objects; none for all.
nonResourceURLs []string | Paths that are no resources.

# AggregationRule | The roles whose rights are collected.
clusterRoleSelectors []LabelSelector | Their labels.

# RoleRef | A role.
apiGroup! string | Its group.
kind! string | Role or ClusterRole.
name! string | Its name.

# Subject | Somebody.
kind! string | User, Group or ServiceAccount.
apiGroup string | The group of the kind.
name! string | The name.
namespace string | The namespace of a service account.
`,
};

/** Events in their newer form. */
export const events: Block = {
  prefix: "io.k8s.api.events.v1",
  group: "events.k8s.io",
  version: "v1",
  text: `
#kind Event | Something that happened to an object, told for people.
eventTime! time | When it happened first.
series EventSeries | How it went on.
reportingController string | The controller that reported it.
reportingInstance string | The process that reported it.
action string | What was done.
reason string | Why, in one word.
regarding ObjectReference | The object it happened to.
related ObjectReference | Another object that took part.
note string | What happened.
type string | Normal or Warning.
deprecatedSource EventSource | Who reported it, in the old form.
deprecatedFirstTimestamp time | When it happened first, in the old form.
deprecatedLastTimestamp time | When it happened last, in the old form.
deprecatedCount int32 | How often it happened, in the old form.

# EventSeries | How an event went on.
count! int32 | How often it happened.
lastObservedTime! time | When it happened last.
`,
};

/** Volumes at nodes. */
export const storage: Block = {
  prefix: "io.k8s.api.storage.v1",
  group: "storage.k8s.io",
  version: "v1",
  text: `
#kind VolumeAttachment | Asks for a volume to be attached to a node.
spec! VolumeAttachmentSpec | What is wanted.
status VolumeAttachmentStatus | What there is.

# VolumeAttachmentSpec | A volume and a node.
attacher! string | The driver that attaches.
nodeName! string | The node.
source! VolumeAttachmentSource | The volume.

# VolumeAttachmentSource | A volume.
persistentVolumeName string | Its name.
inlineVolumeSpec object | What it is, for one without a name.

# VolumeAttachmentStatus | Whether a volume is attached.
attached! boolean | Whether it is.
attachmentMetadata {string} | What the driver says about it.
attachError VolumeError | Why it could not be attached.
detachError VolumeError | Why it could not be detached.

# VolumeError | What went wrong.
time time | When.
message string | What.
errorCode int32 | The code of the driver.
`,
};
