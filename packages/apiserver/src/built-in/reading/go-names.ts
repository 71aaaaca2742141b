/**
 * The names that types have in Go, if they are not plain: the error about a value of the wrong type names
 * the expected type, and clients see that text.
 */

/** Every line is the name of a string type and the fields of that type. */
const NAMED_TEXTS = `
AppArmorProfileType AppArmorProfile.type
AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
AzureDataDiskKind AzureDiskVolumeSource.kind
CompletionMode JobSpec.completionMode
ConditionStatus PersistentVolumeClaimCondition.status PodCondition.status NodeCondition.status NamespaceCondition.status Condition.status DeploymentCondition.status JobCondition.status WorkloadCondition.status
ContainerRestartPolicy Container.restartPolicy EphemeralContainer.restartPolicy
ContainerRestartRuleAction ContainerRestartRule.action
ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
CoordinatedLeaseStrategy LeaseSpec.strategy
DNSPolicy PodSpec.dnsPolicy
DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
DeletionPropagation DeleteOptions.propagationPolicy
DeploymentConditionType DeploymentCondition.type
DeploymentStrategyType DeploymentStrategy.type
HostPathType HostPathVolumeSource.type
IPFamilyPolicy ServiceSpec.ipFamilyPolicy
JobConditionType JobCondition.type
LabelSelectorOperator LabelSelectorRequirement.operator
LoadBalancerIPMode LoadBalancerIngress.ipMode
MountPropagationMode VolumeMount.mountPropagation
NamespaceConditionType NamespaceCondition.type
NamespacePhase NamespaceStatus.phase
NodeAddressType NodeAddress.type
NodeConditionType NodeCondition.type
NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy TopologySpreadConstraint.nodeTaintsPolicy
NodePhase NodeStatus.phase
NodeSelectorOperator NodeSelectorRequirement.operator
OSName PodOS.name
PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
PersistentVolumeClaimRetentionPolicyType StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode
PodConditionType PodCondition.type PodReadinessGate.conditionType
PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
PodFailurePolicyAction PodFailurePolicyRule.action
PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
PodManagementPolicyType StatefulSetSpec.podManagementPolicy
PodPhase PodStatus.phase
PodQOSClass PodStatus.qosClass
PodReplacementPolicy JobSpec.podReplacementPolicy
PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
PreemptionPolicy PodSpec.preemptionPolicy
ProcMountType SecurityContext.procMount
Protocol ContainerPort.protocol ServicePort.protocol PortStatus.protocol
PullPolicy Container.imagePullPolicy EphemeralContainer.imagePullPolicy ImageVolumeSource.pullPolicy
RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
ResourceName ContainerResizePolicy.resourceName ResourceStatus.name
ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
RestartPolicy PodSpec.restartPolicy
SeccompProfileType SeccompProfile.type
SecretType Secret.type
ServiceAffinity ServiceSpec.sessionAffinity
ServiceExternalTrafficPolicy ServiceSpec.externalTrafficPolicy
ServiceInternalTrafficPolicy ServiceSpec.internalTrafficPolicy
ServiceType ServiceSpec.type
Signal Lifecycle.stopSignal ContainerStatus.stopSignal
StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
StorageMedium EmptyDirVolumeSource.medium
SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
TaintEffect Taint.effect Toleration.effect
TerminationMessagePolicy Container.terminationMessagePolicy EphemeralContainer.terminationMessagePolicy
TolerationOperator Toleration.operator
URIScheme HTTPGetAction.scheme
UnhealthyPodEvictionPolicyType PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy
UniqueVolumeName AttachedVolume.name NodeStatus.volumesInUse
UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
Capability Capabilities.add Capabilities.drop
FinalizerName NamespaceSpec.finalizers
IPFamily ServiceSpec.ipFamilies
PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes PersistentVolumeClaimStatus.accessModes`;

const namedTexts: ReadonlyMap<string, string> = new Map(
  NAMED_TEXTS.trim()
    .split("\n")
    .flatMap((line) => {
      const [name, ...fields] = line.split(" ");
      return fields.map((field) => [field, `v1.${name}`] as const);
    }),
);

/** Go's name of the string type of a field. */
export function textNameOf(struct: string, field: string): string {
  if (field === "uid") return "types.UID";
  return namedTexts.get(`${struct}.${field}`) ?? "string";
}

const EMBEDDED: Readonly<Record<string, string>> = {
  EphemeralContainer: "EphemeralContainerCommon",
  Probe: "ProbeHandler",
  Volume: "VolumeSource",
};

/** The struct in which Go embeds some fields of another; JSON does not show it, error messages do. */
export function embeddedIn(struct: string): string {
  return EMBEDDED[struct] ?? "LocalObjectReference";
}
