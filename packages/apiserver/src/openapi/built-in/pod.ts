import type { Block } from "../notation.ts";

/** Pods. What few manifests use, such as the details of a volume driver, is taken as it comes. */
export const pod: Block = {
  prefix: "io.k8s.api.core.v1",
  group: "",
  version: "v1",
  text: `
#kind Pod | Containers that run together on one node.
spec PodSpec | What is wanted.
status PodStatus | What there is.

# PodTemplateSpec | What pods are made from.
metadata ObjectMeta | The labels and annotations of the pods.
spec PodSpec | What is wanted of the pods.

# PodSpec | What a pod is wanted to be.
containers! []Container merge=name | The programs of the pod.
initContainers []Container merge=name | Programs that run before the others, one after the other.
ephemeralContainers []EphemeralContainer merge=name | Programs added to look into a running pod.
volumes []Volume merge=name retain | The volumes that containers can mount.
nodeName string | The node it runs on.
nodeSelector {string} | The labels its node must have.
affinity object | Which nodes and which neighbours it wants.
tolerations []Toleration | The taints it puts up with.
topologySpreadConstraints []TopologySpreadConstraint merge=topologyKey keys=topologyKey,whenUnsatisfiable | How its like are spread.
schedulerName string | Who finds it a node.
schedulingGates []SchedulingGate merge=name | What it waits for before it is scheduled.
priority int32 | How important it is.
priorityClassName string | How important it is, by name.
preemptionPolicy string | Whether it may push others out.
restartPolicy string | Always, OnFailure or Never.
terminationGracePeriodSeconds int64 | How long it is given to end.
activeDeadlineSeconds int64 | How long it may run.
serviceAccountName string | Who it is to the API.
serviceAccount string | The old name of serviceAccountName.
automountServiceAccountToken boolean | Whether it gets a token.
securityContext object | What its processes may do.
imagePullSecrets []LocalObjectReference merge=name | The secrets to pull images with.
hostname string | Its host name.
hostnameOverride string | Its host name, whatever else is said.
subdomain string | The domain of its host name.
setHostnameAsFQDN boolean | Whether its host name is the full one.
hostAliases []HostAlias merge=ip | Lines for its hosts file.
hostNetwork boolean | Whether it uses the network of the node.
hostPID boolean | Whether it sees the processes of the node.
hostIPC boolean | Whether it uses the memory channels of the node.
hostUsers boolean | Whether its users are those of the node.
shareProcessNamespace boolean | Whether its containers see the processes of each other.
dnsPolicy string | Where it looks up names.
dnsConfig object | How it looks up names.
enableServiceLinks boolean | Whether services are in its environment.
readinessGates []ReadinessGate | Further conditions it needs to be ready.
runtimeClassName string | What runs it.
overhead {quantity} | What running it costs beside the containers.
os object | The operating system it needs.
resources ResourceRequirements | What all containers together need.
resourceClaims []object merge=name retain | The devices it needs.
workloadRef object | The workload it belongs to.

# SchedulingGate | Something a pod waits for.
name! string | Its name.

# ReadinessGate | A condition that a pod needs to be ready.
conditionType! string | The type of the condition.

# HostAlias | A line of a hosts file.
ip! string | The address.
hostnames []string | The names.

# Toleration | A taint that a pod puts up with.
key string | The taint; empty for all.
operator string | Exists or Equal.
value string | The value of the taint.
effect string | The effect of the taint; empty for all.
tolerationSeconds int64 | For how long, with NoExecute.

# TopologySpreadConstraint | How pods are spread.
maxSkew! int32 | How uneven it may be.
topologyKey! string | The label of nodes that divides them.
whenUnsatisfiable! string | DoNotSchedule or ScheduleAnyway.
labelSelector LabelSelector | The pods that count.
matchLabelKeys []string | Labels of the pod that select those that count.
minDomains int32 | How many divisions there must be.
nodeAffinityPolicy string | Whether the pod's node selector counts.
nodeTaintsPolicy string | Whether taints count.

# Container | A program that runs in a pod.
name! string | Its name, unique in the pod.
image string | Where it comes from.
imagePullPolicy string | Always, Never or IfNotPresent.
command []string | What to run instead of what the image says.
args []string | What to hand to it.
workingDir string | Where it runs.
env []EnvVar merge=name | Its environment.
envFrom []EnvFromSource | Where more of its environment comes from.
ports []ContainerPort merge=containerPort keys=containerPort,protocol | The ports it listens on.
resources ResourceRequirements | What it needs.
resizePolicy []object | Whether it is restarted when what it needs changes.
volumeMounts []VolumeMount merge=mountPath | The volumes it sees.
volumeDevices []VolumeDevice merge=devicePath | The block devices it sees.
livenessProbe Probe | Finds out whether it must be restarted.
readinessProbe Probe | Finds out whether it can be talked to.
startupProbe Probe | Finds out whether it has started.
lifecycle object | What to do after its start and before its end.
restartPolicy string | Always makes an init container go on running.
restartPolicyRules []object | When to restart it.
securityContext object | What it may do.
stdin boolean | Whether it can be typed to.
stdinOnce boolean | Whether only the first client can type to it.
tty boolean | Whether it has a terminal.
terminationMessagePath string | Where it leaves its last words.
terminationMessagePolicy string | Whether its log can stand for its last words.

# EphemeralContainer | A program added to look into a running pod.
name! string | Its name, unique in the pod.
targetContainerName string | The container whose processes it sees.
image string | Where it comes from.
imagePullPolicy string | Always, Never or IfNotPresent.
command []string | What to run instead of what the image says.
args []string | What to hand to it.
workingDir string | Where it runs.
env []EnvVar merge=name | Its environment.
envFrom []EnvFromSource | Where more of its environment comes from.
ports []ContainerPort merge=containerPort keys=containerPort,protocol | Not allowed.
resources ResourceRequirements | Not allowed.
resizePolicy []object | Not allowed.
volumeMounts []VolumeMount merge=mountPath | The volumes it sees.
volumeDevices []VolumeDevice merge=devicePath | The block devices it sees.
livenessProbe Probe | Not allowed.
readinessProbe Probe | Not allowed.
startupProbe Probe | Not allowed.
lifecycle object | Not allowed.
restartPolicy string | Not allowed.
restartPolicyRules []object | Not allowed.
securityContext object | What it may do.
stdin boolean | Whether it can be typed to.
stdinOnce boolean | Whether only the first client can type to it.
tty boolean | Whether it has a terminal.
terminationMessagePath string | Where it leaves its last words.
terminationMessagePolicy string | Whether its log can stand for its last words.

# EnvVar | A variable of the environment.
name! string | Its name.
value string | Its value.
valueFrom object | Where its value comes from.

# EnvFromSource | Where variables come from.
prefix string | What their names begin with.
configMapRef object | A ConfigMap.
secretRef object | A Secret.

# ContainerPort | A port that a container listens on.
containerPort! int32 | The number.
name string | Its name, unique in the pod.
protocol string | TCP, UDP or SCTP.
hostPort int32 | The port of the node.
hostIP string | The address of the node.

# ResourceRequirements | What a container needs.
requests {quantity} | What it gets at least.
limits {quantity} | What it gets at most.
claims []object keys=name | The devices it uses.

# VolumeMount | Where a container sees a volume.
name! string | The volume.
mountPath! string | Where.
subPath string | The folder of the volume.
subPathExpr string | The folder of the volume, with variables.
readOnly boolean | Whether it can only be read.
recursiveReadOnly string | Whether what is mounted in it can only be read, too.
mountPropagation string | Whether later mounts are seen.

# VolumeDevice | Where a container sees a block device.
name! string | The claim.
devicePath! string | Where.

# Volume | A folder that containers can mount; one of the sources is set.
name! string | Its name, unique in the pod.
${[
  "awsElasticBlockStore azureDisk azureFile cephfs cinder configMap csi downwardAPI emptyDir ephemeral fc",
  "flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath image iscsi nfs persistentVolumeClaim",
  "photonPersistentDisk portworxVolume projected quobyte rbd scaleIO secret storageos vsphereVolume",
]
  .flatMap((names) => names.split(" "))
  .map((source) => `${source} object | A source of type ${source}.`)
  .join("\n")}

# Probe | Finds out how a container is.
exec object | By running a command.
httpGet object | By an HTTP request.
tcpSocket object | By opening a connection.
grpc object | By a gRPC health check.
initialDelaySeconds int32 | When to begin.
periodSeconds int32 | How often.
timeoutSeconds int32 | How long to wait for the answer.
successThreshold int32 | How many good answers make it good.
failureThreshold int32 | How many bad answers make it bad.
terminationGracePeriodSeconds int64 | How long the pod is given to end when it is bad.

# PodStatus | What has become of a pod.
phase string | Pending, Running, Succeeded, Failed or Unknown.
conditions []PodCondition merge=type | How it is.
message string | Why, in a sentence.
reason string | Why, in one word.
nominatedNodeName string | The node where room is being made for it.
hostIP string | The address of its node.
hostIPs []HostIP merge=ip atomic | The addresses of its node.
podIP string | Its address.
podIPs []PodIP merge=ip | Its addresses.
startTime time | When its node took it.
initContainerStatuses []ContainerStatus | How its init containers are.
containerStatuses []ContainerStatus | How its containers are.
ephemeralContainerStatuses []ContainerStatus | How its ephemeral containers are.
qosClass string | How firm its resources are.
observedGeneration int64 | The generation that this was found for.
resize string | No longer used.
resources ResourceRequirements | What it has.
allocatedResources {quantity} | What was set aside for it.
resourceClaimStatuses []object merge=name retain | Its devices.
extendedResourceClaimStatus object | Its devices of extended resources.

# PodIP | An address of a pod.
ip! string | The address.

# HostIP | An address of a node.
ip! string | The address.

# PodCondition | One aspect of the state of a pod.
type! string | Which aspect.
status! string | True, False or Unknown.
lastProbeTime time | When it was looked at last.
lastTransitionTime time | When the status changed last.
observedGeneration int64 | The generation that this was found for.
reason string | Why, in one word.
message string | Why, in a sentence.

# ContainerStatus | How a container is.
name! string | The container.
state ContainerState | How it is now.
lastState ContainerState | How it ended the last time.
ready! boolean | Whether it can be talked to.
restartCount! int32 | How often it was started anew.
image! string | Its image.
imageID! string | Its image, exactly.
containerID string | What its runtime calls it.
started boolean | Whether it has started.
allocatedResources {quantity} | What was set aside for it.
allocatedResourcesStatus []object merge=name | The health of its devices.
resources ResourceRequirements | What it has.
volumeMounts []object merge=mountPath | What it has mounted.
user object | Who it runs as.
stopSignal string | How it is told to end.

# ContainerState | How a container is; one of the fields is set.
waiting object | It waits, and why.
running object | It runs, and since when.
terminated object | It has ended, and how.

#kind Binding | Gives a pod to a node.
target! ObjectReference | The node.
`,
};
