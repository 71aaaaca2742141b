import type { Block } from "../notation.ts";

/** The kinds of the core group, except pods. */
export const core: Block = {
  prefix: "io.k8s.api.core.v1",
  group: "",
  version: "v1",
  text: `
#kind Namespace | A scope for names.
2 spec NamespaceSpec present | The desired state.
3 status NamespaceStatus present | The observed state.

# NamespaceSpec | The desired state of a namespace.
1 finalizers []string | Identifiers that must be removed before the object is deleted.

# NamespaceStatus | The observed state of a namespace.
1 phase string | Active or Terminating.
2 conditions []NamespaceCondition merge=type | Its conditions.

# NamespaceCondition | A condition of the deletion of a namespace.
1 type! string | The type of the condition.
2 status! string | True, False or Unknown.
4 lastTransitionTime time | When the status last changed.
5 reason string | The reason, in CamelCase.
6 message string | The reason, for people.

#kind Secret | Confidential values.
3 type string | What the secret is for.
2 data {bytes} | The values, in base64.
4 stringData {string} | Values in plain text, for writing only.
5 immutable *boolean | Whether the values can never be changed.

#kind ConfigMap | Values for programs to read.
2 data {string} | The values.
3 binaryData {bytes} | Values that are not text, in base64.
4 immutable *boolean | Whether the values can never be changed.

#kind Event | A report of something that happened to an object.
1 metadata! ObjectMeta present | The metadata of the object.
2 involvedObject! ObjectReference present | The object it happened to.
3 reason string | The reason, in CamelCase.
4 message string | What happened.
5 source EventSource present | Who reported it.
6 firstTimestamp time | When it happened first.
7 lastTimestamp time | When it happened last.
8 count int32 | How often it happened.
9 type string | Normal or Warning.
10 eventTime microTime | When it happened first, to the microsecond.
11 series EventSeries | How often and when the event repeated.
12 action string | What was done.
13 related ObjectReference | Another object that took part.
14 reportingComponent *string | The controller that reported it.
15 reportingInstance *string | The process that reported it.

# EventSeries | How often and when the event repeated.
1 count int32 | How often it happened.
2 lastObservedTime microTime | When it happened last.

# EventSource | Who reported an event.
1 component string | The program.
2 host string | The node.

#kind ServiceAccount | The identity of pods towards the API.
2 secrets []ObjectReference merge=name | The secrets its pods may use.
3 imagePullSecrets []LocalObjectReference | The secrets to pull images with.
4 automountServiceAccountToken *boolean | Whether its pods get a token.

#kind ResourceQuota | How much a namespace may use.
2 spec ResourceQuotaSpec present | The desired state.
3 status ResourceQuotaStatus present | The observed state.

# ResourceQuotaSpec | The limits of a namespace.
1 hard {quantity} | The limits, by the name of the resource.
2 scopes []string | The objects that count, by name.
3 scopeSelector ScopeSelector | The objects that count.

# ScopeSelector atomic | Selects objects; all parts must hold.
1 matchExpressions []ScopedResourceSelectorRequirement | The parts.

# ScopedResourceSelectorRequirement | A condition on objects.
1 scopeName! string | The scope.
2 operator! string | In, NotIn, Exists or DoesNotExist.
3 values []string | The values for In and NotIn.

# ResourceQuotaStatus | What a namespace uses.
1 hard {quantity} | The current limits.
2 used {quantity} | What is used.

#kind Node | A machine that runs pods.
2 spec NodeSpec present | The desired state.
3 status NodeStatus present | The observed state.

# NodeSpec | The desired state of a node.
1 podCIDR string | The addresses of its pods.
7 podCIDRs []string set | The addresses of its pods, one range for each family.
3 providerID string | The id of the machine at the cloud provider.
4 unschedulable boolean | Whether the scheduler places no new pods on it.
5 taints []Taint | The taints, which keep pods away from it.
configSource object | No longer used.
2 externalID string | No longer used.

# Taint | Something that keeps pods away from a node.
1 key! string | Its name.
2 value string | Its value.
3 effect! string | NoSchedule, PreferNoSchedule or NoExecute.
4 timeAdded time | When it was added.

# NodeStatus | The observed state of a node.
1 capacity {quantity} | Its resources.
2 allocatable {quantity} | What it has for pods.
3 phase string | No longer used.
4 conditions []NodeCondition merge=type | Its conditions.
5 addresses []NodeAddress merge=type | Its addresses.
6 daemonEndpoints NodeDaemonEndpoints present | Where its kubelet listens.
7 nodeInfo NodeSystemInfo present | What it is.
8 images []ContainerImage | The images on its disk.
9 volumesInUse []string | The volumes that are mounted.
10 volumesAttached []AttachedVolume | The volumes that are attached.
config object | No longer used.
12 runtimeHandlers []NodeRuntimeHandler | What runs its containers.
13 features NodeFeatures | What its container runtime can do.
14 declaredFeatures []string | The features that it declares.

# NodeCondition | A condition of the health of a node.
1 type! string | The type of the condition.
2 status! string | True, False or Unknown.
3 lastHeartbeatTime time | When it was last checked.
4 lastTransitionTime time | When the status last changed.
5 reason string | The reason, in CamelCase.
6 message string | The reason, for people.

# NodeAddress | An address of a node.
1 type! string | Hostname, InternalIP, ExternalIP and so on.
2 address! string | The address.

# NodeSystemInfo | What a node is.
10 architecture! string | The architecture of its processor.
3 bootID! string | Changes with every boot.
6 containerRuntimeVersion! string | What runs its containers.
4 kernelVersion! string | The version of its kernel.
8 kubeProxyVersion! string | No longer used.
7 kubeletVersion! string | The version of its kubelet.
1 machineID! string | The unique id of the machine.
9 operatingSystem! string | Its operating system.
5 osImage! string | The release of its operating system.
2 systemUUID! string | The unique id of the hardware.
11 swap NodeSwapStatus | The state of its swap.

# ContainerImage | An image on the disk of a node.
1 names []string | Its names.
2 sizeBytes int64 | Its size.

# AttachedVolume | A volume that is attached to a node.
1 name! string | The volume.
2 devicePath! string | Where it is.

#kind Service | A stable address for pods that change.
2 spec ServiceSpec present | The desired state.
3 status ServiceStatus present | The observed state.

# ServiceSpec | The desired state of a service.
1 ports []ServicePort merge=port keys=port,protocol | The ports it listens on.
2 selector {string} atomic | The labels of the pods behind it.
4 type string | How it is reached: ClusterIP, NodePort, LoadBalancer or ExternalName.
3 clusterIP string | Its address inside the cluster; None for a service without one.
18 clusterIPs []string | Its addresses inside the cluster.
5 externalIPs []string | Addresses outside the cluster that lead to it.
10 externalName string | The DNS name that it is an alias for.
11 externalTrafficPolicy string | Where traffic from outside goes: Cluster or Local.
22 internalTrafficPolicy *string | Where traffic from inside goes: Cluster or Local.
12 healthCheckNodePort int32 | The port that reports whether a node has pods of it.
19 ipFamilies []string | IPv4, IPv6.
17 ipFamilyPolicy *string | Whether it needs both families.
8 loadBalancerIP string | The address to ask the load balancer for.
21 loadBalancerClass *string | The controller of the load balancer.
9 loadBalancerSourceRanges []string | The client addresses that may use the load balancer.
20 allocateLoadBalancerNodePorts *boolean | Whether a load balancer needs ports of the nodes.
13 publishNotReadyAddresses boolean | Whether it leads also to pods that are not ready.
7 sessionAffinity string | Whether a client stays with its pod: ClientIP or None.
14 sessionAffinityConfig SessionAffinityConfig | For how long a client stays.
23 trafficDistribution *string | Which pods are preferred.

# ServicePort | A port of a service.
1 name string | Its name, unique in the service.
3 port! int32 | The number.
2 protocol string default=TCP | TCP, UDP or SCTP.
4 targetPort intOrString | The port of the pods, by number or name.
5 nodePort int32 | The port of the nodes.
6 appProtocol *string | The application protocol.

# ServiceStatus | The observed state of a service.
1 loadBalancer LoadBalancerStatus present | Its load balancer.
2 conditions []Condition merge=type | Its conditions.

# LoadBalancerStatus | A load balancer.
1 ingress []LoadBalancerIngress | Its addresses.

# LoadBalancerIngress | An address of a load balancer.
1 ip string | The address.
2 hostname string | The name.
3 ipMode *string | How its traffic arrives.
4 ports []PortStatus | Its ports.

# ObjectReference atomic | Points to an object, or to a part of it.
5 apiVersion string | Its group and version.
1 kind string | Its kind.
2 namespace string | Its namespace.
3 name string | Its name.
4 uid string | Its uid.
6 resourceVersion string | Its version.
7 fieldPath string | The part of the object.

# LocalObjectReference atomic | Points to an object in the same namespace.
1 name string | Its name.
`,
};
