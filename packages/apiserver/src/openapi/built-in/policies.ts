import type { Block } from "../notation.ts";

/** PodDisruptionBudget. */
export const policy: Block = {
  prefix: "io.k8s.api.policy.v1",
  group: "policy",
  version: "v1",
  text: `
#kind PodDisruptionBudget | How many of some pods may be evicted at a time.
2 spec PodDisruptionBudgetSpec present | The desired state.
3 status PodDisruptionBudgetStatus present | The observed state.

# PodDisruptionBudgetSpec | The limits of a budget.
1 minAvailable intOrString | How many pods must stay available, as a number or a percentage.
3 maxUnavailable intOrString | How many pods may be unavailable, as a number or a percentage.
2 selector LabelSelector replace | The pods that it selects.
4 unhealthyPodEvictionPolicy *string | Whether pods that are not ready count.

# PodDisruptionBudgetStatus | What a budget allows now.
1 observedGeneration int64 | The generation that the controller observed.
3 disruptionsAllowed! int32 | How many pods may be evicted now.
4 currentHealthy! int32 | The pods that are ready.
5 desiredHealthy! int32 | The pods that must be ready.
6 expectedPods! int32 | The pods that it selects.
2 disruptedPods {time} | The evicted pods that still exist.
7 conditions []Condition merge=type | Its conditions.

#kind Eviction | Evicts a pod, within its disruption budget.
2 deleteOptions DeleteOptions | How to delete the pod.
`,
};

/** Leases. */
export const coordination: Block = {
  prefix: "io.k8s.api.coordination.v1",
  group: "coordination.k8s.io",
  version: "v1",
  text: `
#kind Lease | A lease that its holder renews.
2 spec LeaseSpec present | The lease.

# LeaseSpec | A lease and its holder.
1 holderIdentity *string | Who holds it.
2 leaseDurationSeconds *int32 | How long it holds without being renewed.
3 acquireTime microTime | When it was taken.
4 renewTime microTime | When it was renewed last.
5 leaseTransitions *int32 | How often its holder changed.
6 strategy *string | How the holder is chosen.
7 preferredHolder *string | Who should take it over.
`,
};

/** Roles and bindings. */
export const rbac: Block = {
  prefix: "io.k8s.api.rbac.v1",
  group: "rbac.authorization.k8s.io",
  version: "v1",
  text: `
#kind Role | Permissions in one namespace.
2 rules []PolicyRule | The permissions.

#kind ClusterRole | Permissions that can be granted in any namespace, or everywhere.
2 rules []PolicyRule | The permissions.
3 aggregationRule AggregationRule | The roles whose permissions it collects.

#kind RoleBinding | Grants a role in one namespace.
2 subjects []Subject | The subjects that get it.
3 roleRef! RoleRef present | The role. Cannot be changed.

#kind ClusterRoleBinding | Grants a role everywhere.
2 subjects []Subject | The subjects that get it.
3 roleRef! RoleRef present | The role. Cannot be changed.

# PolicyRule | A set of permissions.
1 verbs! []string | The verbs; * for all.
2 apiGroups []string | The groups of the resources.
3 resources []string | The resources; * for all.
4 resourceNames []string | The names of the objects; none for all.
5 nonResourceURLs []string | Paths outside the resources.

# AggregationRule | The roles whose permissions are collected.
1 clusterRoleSelectors []LabelSelector | Their labels.

# RoleRef atomic | A role.
1 apiGroup! string | Its group.
2 kind! string | Role or ClusterRole.
3 name! string | Its name.

# Subject atomic | A user, group or service account.
1 kind! string | User, Group or ServiceAccount.
2 apiGroup string | The group of the kind.
3 name! string | The name.
4 namespace string | The namespace of a service account.
`,
};

/** Events in their newer form. */
export const events: Block = {
  prefix: "io.k8s.api.events.v1",
  group: "events.k8s.io",
  version: "v1",
  text: `
#kind Event | A report of something that happened to an object.
2 eventTime! microTime | When it happened first.
3 series EventSeries | How often and when the event repeated.
4 reportingController string | The controller that reported it.
5 reportingInstance string | The process that reported it.
6 action string | What was done.
7 reason string | The reason, in CamelCase.
8 regarding ObjectReference present | The object it happened to.
9 related ObjectReference | Another object that took part.
10 note string | What happened.
11 type string | Normal or Warning.
12 deprecatedSource EventSource present | Who reported it, in the old form.
13 deprecatedFirstTimestamp time | When it happened first, in the old form.
14 deprecatedLastTimestamp time | When it happened last, in the old form.
15 deprecatedCount int32 | How often it happened, in the old form.

# EventSeries | How often and when the event repeated.
1 count! int32 | How often it happened.
2 lastObservedTime! microTime | When it happened last.
`,
};

/** VolumeAttachment. */
export const storage: Block = {
  prefix: "io.k8s.api.storage.v1",
  group: "storage.k8s.io",
  version: "v1",
  text: `
#kind VolumeAttachment | Asks for a volume to be attached to a node.
2 spec! VolumeAttachmentSpec present | The desired state.
3 status VolumeAttachmentStatus present | The observed state.

# VolumeAttachmentSpec | A volume and a node.
1 attacher! string | The driver that attaches.
3 nodeName! string | The node.
2 source! VolumeAttachmentSource present | The volume.

# VolumeAttachmentSource | A volume.
1 persistentVolumeName *string | Its name.
inlineVolumeSpec object | Its definition, for one without a name.

# VolumeAttachmentStatus | Whether a volume is attached.
1 attached! boolean | Whether it is.
2 attachmentMetadata {string} | Data of the driver.
3 attachError VolumeError | Why it could not be attached.
4 detachError VolumeError | Why it could not be detached.

# VolumeError | What went wrong.
1 time time | When.
2 message string | What.
3 errorCode *int32 | The code of the driver.
`,
};
