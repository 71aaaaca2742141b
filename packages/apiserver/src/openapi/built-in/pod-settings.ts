/** The smaller parts of pods and nodes, in the short form of the notation. */
export const podSettings = `
# NodeDaemonEndpoints | The ports of the daemons of a node.
1 kubeletEndpoint DaemonEndpoint present

# NodeRuntimeHandler | A container runtime of a node.
1 name *string; 2 features NodeRuntimeHandlerFeatures

# NodeFeatures | What a node can do.
1 supplementalGroupsPolicy *boolean

# NodeSwapStatus | The swap of a node.
1 capacity *int64

# SessionAffinityConfig | How a client stays with its pod.
1 clientIP ClientIPConfig

# PortStatus | A port of a load balancer.
1 port! int32; 2 protocol! string; 3 error *string

# Affinity | Which nodes, and which pods beside it, a pod prefers or requires.
1 nodeAffinity NodeAffinity; 2 podAffinity PodAffinity; 3 podAntiAffinity PodAntiAffinity

# PodSecurityContext | What the processes of a pod may do.
1 seLinuxOptions SELinuxOptions; 2 runAsUser *int64; 3 runAsNonRoot *boolean; 4 supplementalGroups []int64
5 fsGroup *int64; 6 runAsGroup *int64; 7 sysctls []Sysctl; 8 windowsOptions WindowsSecurityContextOptions
9 fsGroupChangePolicy *string; 10 seccompProfile SeccompProfile; 11 appArmorProfile AppArmorProfile
12 supplementalGroupsPolicy *string; 13 seLinuxChangePolicy *string

# PodDNSConfig | How a pod looks up names.
1 nameservers []string; 2 searches []string; 3 options []PodDNSConfigOption

# PodOS | The operating system of a pod.
1 name! string

# PodResourceClaim | A device that a pod needs.
1 name! string; 3 resourceClaimName *string; 4 resourceClaimTemplateName *string

# WorkloadReference | Points to a workload.
1 name! string; 2 podGroup! string; 3 podGroupReplicaKey string

# ContainerResizePolicy | Whether a container is restarted when what it needs changes.
1 resourceName! string; 2 restartPolicy! string

# Lifecycle | What to do after the start of a container and before its end.
1 postStart LifecycleHandler; 2 preStop LifecycleHandler; 3 stopSignal *string

# ContainerRestartRule | When a container is restarted.
1 action! string; 2 exitCodes ContainerRestartRuleOnExitCodes

# SecurityContext | What a container may do.
1 capabilities Capabilities; 2 privileged *boolean; 3 seLinuxOptions SELinuxOptions; 4 runAsUser *int64
5 runAsNonRoot *boolean; 6 readOnlyRootFilesystem *boolean; 7 allowPrivilegeEscalation *boolean; 8 runAsGroup *int64
9 procMount *string; 10 windowsOptions WindowsSecurityContextOptions; 11 seccompProfile SeccompProfile
12 appArmorProfile AppArmorProfile

# EnvVarSource | Where the value of a variable comes from; one of the fields is set.
1 fieldRef ObjectFieldSelector; 2 resourceFieldRef ResourceFieldSelector; 3 configMapKeyRef ConfigMapKeySelector
4 secretKeyRef SecretKeySelector; 5 fileKeyRef FileKeySelector

# ConfigMapEnvSource | A ConfigMap as a source of variables.
1.1 name string; 2 optional *boolean

# SecretEnvSource | A Secret as a source of variables.
1.1 name string; 2 optional *boolean

# ResourceClaim | A device that a container uses.
1 name! string; 2 request string

# ExecAction | A command to run in a container.
1 command []string

# HTTPGetAction | An HTTP request.
1 path string; 2 port! intOrString; 3 host string; 4 scheme string; 5 httpHeaders []HTTPHeader

# TCPSocketAction | A connection to open.
1 port! intOrString; 2 host string

# GRPCAction | A gRPC health check.
1 port! int32; 2 service *string

# PodResourceClaimStatus | A device that a pod has.
1 name! string; 2 resourceClaimName *string

# PodExtendedResourceClaimStatus | The devices of extended resources that a pod has.
1 requestMappings! []ContainerExtendedResourceRequest; 2 resourceClaimName! string

# ResourceStatus | The health of the devices of a container.
1 name! string; 2 resources []ResourceHealth keys=resourceID

# VolumeMountStatus | A volume that a container has mounted.
1 name! string; 2 mountPath! string; 3 readOnly boolean; 4 recursiveReadOnly *string

# ContainerUser | Who a container runs as.
1 linux LinuxContainerUser

# ContainerStateWaiting | A container that waits.
1 reason string; 2 message string

# ContainerStateRunning | A container that runs.
1 startedAt time

# ContainerStateTerminated | A container that has ended.
1 exitCode! int32; 2 signal int32; 3 reason string; 4 message string; 5 startedAt time; 6 finishedAt time
7 containerID string

# DaemonEndpoint | The port of a daemon of a node.
1 Port! int32

# NodeRuntimeHandlerFeatures | What a runtime can do.
1 recursiveReadOnlyMounts *boolean; 2 userNamespaces *boolean

# ClientIPConfig | For how long a client stays with its pod.
1 timeoutSeconds *int32

# NodeAffinity | Which nodes a pod prefers or requires.
1 requiredDuringSchedulingIgnoredDuringExecution NodeSelector
2 preferredDuringSchedulingIgnoredDuringExecution []PreferredSchedulingTerm

# PodAffinity | Which pods a pod prefers beside it.
1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm

# PodAntiAffinity | Which pods a pod avoids.
1 requiredDuringSchedulingIgnoredDuringExecution []PodAffinityTerm
2 preferredDuringSchedulingIgnoredDuringExecution []WeightedPodAffinityTerm

# SELinuxOptions | The SELinux label of a container.
1 user string; 2 role string; 3 type string; 4 level string

# Sysctl | A parameter of the kernel.
1 name! string; 2 value! string

# WindowsSecurityContextOptions | What a container on Windows may do.
1 gmsaCredentialSpecName *string; 2 gmsaCredentialSpec *string; 3 runAsUserName *string; 4 hostProcess *boolean

# SeccompProfile | The system calls that are allowed.
1 type! string; 2 localhostProfile *string

# AppArmorProfile | The AppArmor profile of a container.
1 type! string; 2 localhostProfile *string

# PodDNSConfigOption | An option of looking up names.
1 name string; 2 value *string

# LifecycleHandler | Something to do; one of the fields is set.
1 exec ExecAction; 2 httpGet HTTPGetAction; 3 tcpSocket TCPSocketAction; 4 sleep SleepAction

# ContainerRestartRuleOnExitCodes | Exit codes of a container.
1 operator! string; 2 values []int32

# Capabilities | Capabilities that are added or dropped.
1 add []string; 2 drop []string

# ObjectFieldSelector atomic | A field of the pod.
1 apiVersion string; 2 fieldPath! string

# ResourceFieldSelector atomic | What a container has of a resource.
1 containerName string; 2 resource! string; 3 divisor quantity

# ConfigMapKeySelector atomic | A value of a ConfigMap.
1.1 name string; 2 key! string; 3 optional *boolean

# SecretKeySelector atomic | A value of a Secret.
1.1 name string; 2 key! string; 3 optional *boolean

# FileKeySelector atomic | A value in a file.
1 volumeName! string; 2 path! string; 3 key! string; 4 optional *boolean

# HTTPHeader | A header of an HTTP request.
1 name! string; 2 value! string

# ContainerExtendedResourceRequest | An extended resource of a container.
1 containerName! string; 2 resourceName! string; 3 requestName! string

# ResourceHealth | The health of a device.
1 resourceID! string; 2 health string

# LinuxContainerUser | Who a container on Linux runs as.
1 uid! int64; 2 gid! int64; 3 supplementalGroups []int64

# NodeSelector atomic | Selects nodes; one of the terms must hold.
1 nodeSelectorTerms! []NodeSelectorTerm

# PreferredSchedulingTerm | Preferred nodes, and their weight.
1 weight! int32; 2 preference! NodeSelectorTerm present

# PodAffinityTerm | Pods, and the topology in which they are near.
1 labelSelector LabelSelector; 2 namespaces []string; 3 topologyKey! string; 4 namespaceSelector LabelSelector
5 matchLabelKeys []string; 6 mismatchLabelKeys []string

# WeightedPodAffinityTerm | A preferred affinity to pods, and its weight.
1 weight! int32; 2 podAffinityTerm! PodAffinityTerm present

# SleepAction | Waits.
1 seconds! int64

# NodeSelectorTerm atomic | Selects nodes; all parts must hold.
1 matchExpressions []NodeSelectorRequirement; 2 matchFields []NodeSelectorRequirement

# NodeSelectorRequirement | A condition on a node.
1 key! string; 2 operator! string; 3 values []string
`;
