import type { Block } from "../notation.ts";

/** The kinds of the core group, but for pods. */
export const core: Block = {
  prefix: "io.k8s.api.core.v1",
  group: "",
  version: "v1",
  text: `
#kind Namespace | A room that names are unique in.
spec NamespaceSpec | What is wanted.
status NamespaceStatus | What there is.

# NamespaceSpec | What a namespace is wanted to be.
finalizers []string | Who must agree before it is removed.

# NamespaceStatus | What has become of a namespace.
phase string | Active or Terminating.
conditions []NamespaceCondition merge=type | How far its deletion is.

# NamespaceCondition | One aspect of the deletion of a namespace.
type! string | Which aspect.
status! string | True, False or Unknown.
lastTransitionTime time | When the status changed last.
reason string | Why, in one word.
message string | Why, in a sentence.

#kind Secret | Values that not everybody may read.
type string | What the secret is for.
data {bytes} | The values, in base64.
stringData {string} | Values in plain text, for writing only.
immutable boolean | Whether the values are fixed for good.

#kind ConfigMap | Values for programs to read.
data {string} | The values.
binaryData {bytes} | Values that are not text, in base64.
immutable boolean | Whether the values are fixed for good.

#kind Event | Something that happened to an object, told for people.
metadata! ObjectMeta | What every object carries: its name, labels, owners and the like.
involvedObject! ObjectReference | The object it happened to.
reason string | Why, in one word.
message string | What happened.
source EventSource | Who reported it.
firstTimestamp time | When it happened first.
lastTimestamp time | When it happened last.
count int32 | How often it happened.
type string | Normal or Warning.
eventTime time | When it happened first, to the microsecond.
series EventSeries | How it went on.
action string | What was done.
related ObjectReference | Another object that took part.
reportingComponent string | The controller that reported it.
reportingInstance string | The process that reported it.

# EventSeries | How an event went on.
count int32 | How often it happened.
lastObservedTime time | When it happened last.

# EventSource | Who reported an event.
component string | The program.
host string | The node.

#kind ServiceAccount | Who a program in a pod is to the API.
secrets []ObjectReference merge=name | The secrets its pods may use.
imagePullSecrets []LocalObjectReference | The secrets to pull images with.
automountServiceAccountToken boolean | Whether its pods get a token.

#kind Node | A machine that runs pods.
spec NodeSpec | What is wanted.
status NodeStatus | What there is.

# NodeSpec | What a node is wanted to be.
podCIDR string | The addresses of its pods.
podCIDRs []string set | The addresses of its pods, one range for each family.
providerID string | The machine, as the cloud calls it.
unschedulable boolean | Whether it takes no new pods.
taints []Taint | What keeps pods away from it.
configSource object | No longer used.
externalID string | No longer used.

# Taint | Something that keeps pods away from a node.
key! string | Its name.
value string | Its value.
effect! string | NoSchedule, PreferNoSchedule or NoExecute.
timeAdded time | When it was added.

# NodeStatus | What a node says about itself.
capacity {quantity} | What it has.
allocatable {quantity} | What it has for pods.
phase string | No longer used.
conditions []NodeCondition merge=type | How it is.
addresses []NodeAddress merge=type | Where it is reached.
daemonEndpoints object | Where its kubelet listens.
nodeInfo NodeSystemInfo | What it is.
images []ContainerImage | The images on its disk.
volumesInUse []string | The volumes that are mounted.
volumesAttached []AttachedVolume | The volumes that are attached.
config object | No longer used.
runtimeHandlers []object | What runs its containers.
features object | What its container runtime can do.
declaredFeatures []string | The features it says it has.

# NodeCondition | One aspect of the health of a node.
type! string | Which aspect.
status! string | True, False or Unknown.
lastHeartbeatTime time | When it was looked at last.
lastTransitionTime time | When the status changed last.
reason string | Why, in one word.
message string | Why, in a sentence.

# NodeAddress | Where a node is reached.
type! string | Hostname, InternalIP, ExternalIP and the like.
address! string | The address.

# NodeSystemInfo | What a node is.
architecture! string | The architecture of its processor.
bootID! string | Changes with every boot.
containerRuntimeVersion! string | What runs its containers.
kernelVersion! string | The version of its kernel.
kubeProxyVersion! string | No longer used.
kubeletVersion! string | The version of its kubelet.
machineID! string | What tells it from other machines.
operatingSystem! string | Its operating system.
osImage! string | The release of its operating system.
systemUUID! string | What tells its hardware from others.
swap object | What it knows about swap.

# ContainerImage | An image on the disk of a node.
names []string | Its names.
sizeBytes int64 | Its size.

# AttachedVolume | A volume that is attached to a node.
name! string | The volume.
devicePath! string | Where it is.

#kind Service | A stable address for pods that change.
spec ServiceSpec | What is wanted.
status ServiceStatus | What there is.

# ServiceSpec | What a service is wanted to be.
ports []ServicePort merge=port keys=port,protocol | The ports it listens on.
selector {string} | The labels of the pods behind it.
type string | How it is reached: ClusterIP, NodePort, LoadBalancer or ExternalName.
clusterIP string | Its address inside the cluster; None for a service without one.
clusterIPs []string | Its addresses inside the cluster.
externalIPs []string | Addresses outside the cluster that lead to it.
externalName string | The name that it stands for.
externalTrafficPolicy string | Where traffic from outside goes: Cluster or Local.
internalTrafficPolicy string | Where traffic from inside goes: Cluster or Local.
healthCheckNodePort int32 | The port that tells whether a node has pods of it.
ipFamilies []string | IPv4, IPv6.
ipFamilyPolicy string | Whether it needs both families.
loadBalancerIP string | The address to ask the load balancer for.
loadBalancerClass string | Who makes the load balancer.
loadBalancerSourceRanges []string | Who may use the load balancer.
allocateLoadBalancerNodePorts boolean | Whether a load balancer needs ports of the nodes.
publishNotReadyAddresses boolean | Whether it leads also to pods that are not ready.
sessionAffinity string | Whether a client stays with its pod: ClientIP or None.
sessionAffinityConfig object | For how long a client stays.
trafficDistribution string | Which pods are preferred.

# ServicePort | A port of a service.
name string | Its name, unique in the service.
port! int32 | The number.
protocol string | TCP, UDP or SCTP.
targetPort intOrString | The port of the pods, by number or name.
nodePort int32 | The port of the nodes.
appProtocol string | What is spoken on it.

# ServiceStatus | What has become of a service.
loadBalancer LoadBalancerStatus | Its load balancer.
conditions []Condition merge=type | How it is.

# LoadBalancerStatus | A load balancer.
ingress []LoadBalancerIngress | Where it is reached.

# LoadBalancerIngress | An address of a load balancer.
ip string | The address.
hostname string | The name.
ipMode string | How its traffic arrives.
ports []object | Its ports.

# ObjectReference | Points to an object, or to a part of it.
apiVersion string | Its group and version.
kind string | Its kind.
namespace string | Its namespace.
name string | Its name.
uid string | Its uid.
resourceVersion string | Its version.
fieldPath string | The part that is meant.

# LocalObjectReference | Points to an object in the same namespace.
name string | Its name.
`,
};
