import type { Block } from "../notation.ts";
import { podSettings } from "./pod-settings.ts";
import { podVolumes } from "./pod-volumes.ts";

/** Pods. */
export const pod: Block = {
  prefix: "io.k8s.api.core.v1",
  group: "",
  version: "v1",
  text: `
#kind Pod | Containers that run together on one node.
2 spec PodSpec present | The desired state.
3 status PodStatus present | The observed state.

# PodTemplateSpec | The template of pods.
1 metadata ObjectMeta present | The labels and annotations of the pods.
2 spec PodSpec present | The desired state of the pods.

# PodSpec | The desired state of a pod.
2 containers! []Container merge=name | The containers of the pod.
20 initContainers []Container merge=name | Containers that run before the others, one after the other.
34 ephemeralContainers []EphemeralContainer merge=name | Containers that are added to debug a running pod.
1 volumes []Volume merge=name retain | The volumes that containers can mount.
10 nodeName string | The node it runs on.
7 nodeSelector {string} atomic | The labels its node must have.
18 affinity Affinity | Which nodes, and which pods beside it, it prefers or requires.
22 tolerations []Toleration | The taints that it tolerates.
33 topologySpreadConstraints []TopologySpreadConstraint merge=topologyKey keys=topologyKey,whenUnsatisfiable | How pods like it are spread.
19 schedulerName string | The scheduler that assigns it to a node.
38 schedulingGates []PodSchedulingGate merge=name | What it waits for before it is scheduled.
25 priority *int32 | How important it is.
24 priorityClassName string | How important it is, by name.
31 preemptionPolicy *string | Whether it may preempt others.
3 restartPolicy string | Always, OnFailure or Never.
4 terminationGracePeriodSeconds *int64 | How long it may take to shut down.
5 activeDeadlineSeconds *int64 | How long it may run.
8 serviceAccountName string | Its service account.
9 serviceAccount string | The old name of serviceAccountName.
21 automountServiceAccountToken *boolean | Whether it gets a token.
14 securityContext PodSecurityContext | What its processes may do.
15 imagePullSecrets []LocalObjectReference merge=name | The secrets to pull images with.
16 hostname string | Its host name.
41 hostnameOverride *string | Its host name, which overrides the other fields.
17 subdomain string | The domain of its host name.
35 setHostnameAsFQDN *boolean | Whether its host name is the full one.
23 hostAliases []HostAlias merge=ip | Entries of its hosts file.
11 hostNetwork boolean | Whether it uses the network of the node.
12 hostPID boolean | Whether it sees the processes of the node.
13 hostIPC boolean | Whether it uses the IPC namespace of the node.
37 hostUsers *boolean | Whether its users are those of the node.
27 shareProcessNamespace *boolean | Whether its containers see the processes of each other.
6 dnsPolicy string | Where it looks up names.
26 dnsConfig PodDNSConfig | How it looks up names.
30 enableServiceLinks *boolean | Whether services are in its environment.
28 readinessGates []PodReadinessGate | Further conditions it needs to be ready.
29 runtimeClassName *string | What runs it.
32 overhead {quantity} | The resources of running it beside the containers.
36 os PodOS | The operating system it needs.
40 resources ResourceRequirements | What all containers together need.
39 resourceClaims []PodResourceClaim merge=name retain | The devices it needs.
42 workloadRef WorkloadReference | The workload it belongs to.

# PodSchedulingGate | Something a pod waits for.
1 name! string | Its name.

# PodReadinessGate | A condition that a pod needs to be ready.
1 conditionType! string | The type of the condition.

# HostAlias | A line of a hosts file.
1 ip! string | The address.
2 hostnames []string | The names.

# Toleration | A taint that a pod tolerates.
1 key string | The taint; empty for all.
2 operator string | Exists or Equal.
3 value string | The value of the taint.
4 effect string | The effect of the taint; empty for all.
5 tolerationSeconds *int64 | For how long, with NoExecute.

# TopologySpreadConstraint | How pods are spread.
1 maxSkew! int32 | How uneven it may be.
2 topologyKey! string | The label of nodes that defines the domains.
3 whenUnsatisfiable! string | DoNotSchedule or ScheduleAnyway.
4 labelSelector LabelSelector | The pods that count.
8 matchLabelKeys []string | Labels of the pod that select those that count.
5 minDomains *int32 | The minimum number of domains.
6 nodeAffinityPolicy *string | Whether the pod's node selector counts.
7 nodeTaintsPolicy *string | Whether taints count.

# Container | A program that runs in a pod.
1 name! string | Its name, unique in the pod.
2 image string | Where it comes from.
14 imagePullPolicy string | Always, Never or IfNotPresent.
3 command []string | The command, instead of that of the image.
4 args []string | The arguments.
5 workingDir string | Where it runs.
7 env []EnvVar merge=name | Its environment.
19 envFrom []EnvFromSource | Where more of its environment comes from.
6 ports []ContainerPort merge=containerPort keys=containerPort,protocol | The ports it listens on.
8 resources ResourceRequirements present | What it needs.
23 resizePolicy []ContainerResizePolicy | Whether it is restarted when what it needs changes.
9 volumeMounts []VolumeMount merge=mountPath | The volumes it sees.
21 volumeDevices []VolumeDevice merge=devicePath | The block devices it sees.
10 livenessProbe Probe | Checks whether it must be restarted.
11 readinessProbe Probe | Checks whether it is ready for requests.
22 startupProbe Probe | Checks whether it has started.
12 lifecycle Lifecycle | What to do after its start and before its end.
24 restartPolicy *string | Always makes an init container keep running.
25 restartPolicyRules []ContainerRestartRule | When to restart it.
15 securityContext SecurityContext | What it may do.
16 stdin boolean | Whether it has a standard input.
17 stdinOnce boolean | Whether standard input closes after the first client.
18 tty boolean | Whether it has a terminal.
13 terminationMessagePath string | The file of its termination message.
20 terminationMessagePolicy string | Whether its log can be the termination message.

# EphemeralContainer | A container that is added to debug a running pod.
1.1 name! string | Its name, unique in the pod.
2 targetContainerName string | The container whose processes it sees.
1.2 image string | Where it comes from.
1.14 imagePullPolicy string | Always, Never or IfNotPresent.
1.3 command []string | The command, instead of that of the image.
1.4 args []string | The arguments.
1.5 workingDir string | Where it runs.
1.7 env []EnvVar merge=name | Its environment.
1.19 envFrom []EnvFromSource | Where more of its environment comes from.
1.6 ports []ContainerPort merge=containerPort keys=containerPort,protocol | Not allowed.
1.8 resources ResourceRequirements present | Not allowed.
1.23 resizePolicy []ContainerResizePolicy | Not allowed.
1.9 volumeMounts []VolumeMount merge=mountPath | The volumes it sees.
1.21 volumeDevices []VolumeDevice merge=devicePath | The block devices it sees.
1.10 livenessProbe Probe | Not allowed.
1.11 readinessProbe Probe | Not allowed.
1.22 startupProbe Probe | Not allowed.
1.12 lifecycle Lifecycle | Not allowed.
1.24 restartPolicy *string | Not allowed.
1.25 restartPolicyRules []ContainerRestartRule | Not allowed.
1.15 securityContext SecurityContext | What it may do.
1.16 stdin boolean | Whether it has a standard input.
1.17 stdinOnce boolean | Whether standard input closes after the first client.
1.18 tty boolean | Whether it has a terminal.
1.13 terminationMessagePath string | The file of its termination message.
1.20 terminationMessagePolicy string | Whether its log can be the termination message.

# EnvVar | A variable of the environment.
1 name! string | Its name.
2 value string | Its value.
3 valueFrom EnvVarSource | Where its value comes from.

# EnvFromSource | Where variables come from.
1 prefix string | The prefix of their names.
2 configMapRef ConfigMapEnvSource | A ConfigMap.
3 secretRef SecretEnvSource | A Secret.

# ContainerPort | A port that a container listens on.
3 containerPort! int32 | The number.
1 name string | Its name, unique in the pod.
4 protocol string default=TCP | TCP, UDP or SCTP.
2 hostPort int32 | The port of the node.
5 hostIP string | The address of the node.

# ResourceRequirements | What a container needs.
2 requests {quantity} | What it gets at least.
1 limits {quantity} | What it gets at most.
3 claims []ResourceClaim keys=name | The devices it uses.

# VolumeMount | Where a container sees a volume.
1 name! string | The volume.
3 mountPath! string | Where.
4 subPath string | The folder of the volume.
6 subPathExpr string | The folder of the volume, with variables.
2 readOnly boolean | Whether it can only be read.
7 recursiveReadOnly *string | Whether what is mounted in it can only be read, too.
5 mountPropagation *string | Whether later mounts are seen.

# VolumeDevice | Where a container sees a block device.
1 name! string | The lease.
2 devicePath! string | Where.

# Volume | A folder that containers can mount; one of the sources is set.
1 name! string | Its name, unique in the pod.
2.1 hostPath HostPathVolumeSource; 2.2 emptyDir EmptyDirVolumeSource
2.3 gcePersistentDisk GCEPersistentDiskVolumeSource; 2.4 awsElasticBlockStore AWSElasticBlockStoreVolumeSource
2.5 gitRepo GitRepoVolumeSource; 2.6 secret SecretVolumeSource; 2.7 nfs NFSVolumeSource; 2.8 iscsi ISCSIVolumeSource
2.9 glusterfs GlusterfsVolumeSource; 2.10 persistentVolumeClaim PersistentVolumeClaimVolumeSource
2.11 rbd RBDVolumeSource; 2.12 flexVolume FlexVolumeSource; 2.13 cinder CinderVolumeSource
2.14 cephfs CephFSVolumeSource; 2.15 flocker FlockerVolumeSource; 2.16 downwardAPI DownwardAPIVolumeSource
2.17 fc FCVolumeSource; 2.18 azureFile AzureFileVolumeSource; 2.19 configMap ConfigMapVolumeSource
2.20 vsphereVolume VsphereVirtualDiskVolumeSource; 2.21 quobyte QuobyteVolumeSource
2.22 azureDisk AzureDiskVolumeSource; 2.23 photonPersistentDisk PhotonPersistentDiskVolumeSource
2.24 portworxVolume PortworxVolumeSource; 2.25 scaleIO ScaleIOVolumeSource; 2.26 projected ProjectedVolumeSource
2.27 storageos StorageOSVolumeSource; 2.28 csi CSIVolumeSource; 2.29 ephemeral EphemeralVolumeSource
2.30 image ImageVolumeSource

# Probe | A check of a container.
1.1 exec ExecAction | By running a command.
1.2 httpGet HTTPGetAction | By an HTTP request.
1.3 tcpSocket TCPSocketAction | By opening a connection.
1.4 grpc GRPCAction | By a gRPC health check.
2 initialDelaySeconds int32 | When to begin.
4 periodSeconds int32 | How often.
3 timeoutSeconds int32 | How long to wait for the answer.
5 successThreshold int32 | How many successes make it healthy.
6 failureThreshold int32 | How many failures make it unhealthy.
7 terminationGracePeriodSeconds *int64 | How long the pod may take to shut down after a failed probe.

# PodStatus | The observed state of a pod.
1 phase string | Pending, Running, Succeeded, Failed or Unknown.
2 conditions []PodCondition merge=type | Its conditions.
3 message string | The reason, for people.
4 reason string | The reason, in CamelCase.
11 nominatedNodeName string | The node on which pods are preempted for it.
5 hostIP string | The address of its node.
16 hostIPs []HostIP merge=ip atomic | The addresses of its node.
6 podIP string | Its address.
12 podIPs []PodIP merge=ip | Its addresses.
7 startTime time | When the kubelet accepted it.
10 initContainerStatuses []ContainerStatus | The states of its init containers.
8 containerStatuses []ContainerStatus | The states of its containers.
13 ephemeralContainerStatuses []ContainerStatus | The states of its ephemeral containers.
9 qosClass string | Its QoS class.
17 observedGeneration int64 | The generation that the controller observed.
14 resize string | No longer used.
20 resources ResourceRequirements | Its resources.
19 allocatedResources {quantity} | The resources that are allocated for it.
15 resourceClaimStatuses []PodResourceClaimStatus merge=name retain | Its devices.
18 extendedResourceClaimStatus PodExtendedResourceClaimStatus | Its devices of extended resources.

# PodIP | An address of a pod.
1 ip! string | The address.

# HostIP | An address of a node.
1 ip! string | The address.

# PodCondition | A condition of the state of a pod.
1 type! string | The type of the condition.
2 status! string | True, False or Unknown.
3 lastProbeTime time | When it was last checked.
4 lastTransitionTime time | When the status last changed.
7 observedGeneration int64 | The generation that the controller observed.
5 reason string | The reason, in CamelCase.
6 message string | The reason, for people.

# ContainerStatus | The state of a container.
1 name! string | The container.
2 state ContainerState present | Its current state.
3 lastState ContainerState present | Its state at the last termination.
4 ready! boolean | Whether it is ready for requests.
5 restartCount! int32 | How often it was restarted.
6 image! string | Its image.
7 imageID! string | Its image, exactly.
8 containerID string | Its id in the runtime.
9 started *boolean | Whether it has started.
10 allocatedResources {quantity} | The resources that are allocated for it.
14 allocatedResourcesStatus []ResourceStatus merge=name | The health of its devices.
11 resources ResourceRequirements | Its resources.
12 volumeMounts []VolumeMountStatus merge=mountPath | What it has mounted.
13 user ContainerUser | Who it runs as.
15 stopSignal *string | The signal that stops it.

# ContainerState | The state of a container; one of the fields is set.
1 waiting ContainerStateWaiting | It waits, and why.
2 running ContainerStateRunning | It runs, and since when.
3 terminated ContainerStateTerminated | It has ended, and how.

#kind Binding | Binds a pod to a node.
2 target! ObjectReference present | The node.
${podSettings}${podVolumes}`,
};
