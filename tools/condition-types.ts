/** What is the case when a condition of one of our kinds is True. */
export const CONDITION_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Cluster: {
    Ready: "InfrastructureReady and ControlPlaneReady are True",
    InfrastructureReady: "the object in `spec.infrastructureRef` is ready, or the Cluster names none",
    ControlPlaneInitialized: "the API server of the workload cluster has answered for the first time",
    ControlPlaneReady: "the control plane is ready",
  },
  AzureCluster: {
    Ready: "all resources of the cluster in Azure are as the spec wants them",
    NetworkInfrastructureReady: "all conditions of single resources below are True",
    ResourceGroupReady: "the resource group is as the spec wants it",
    VNetReady: "the virtual network is as the spec wants it",
    VnetPeeringReady: "the peerings of the virtual network are as the spec wants them",
    SubnetsReady: "the subnets are as the spec wants them",
    SecurityGroupsReady: "the security groups and their rules are as the spec wants them",
    RouteTablesReady: "the route tables are as the spec wants them",
    PublicIPsReady: "the public IP addresses are as the spec wants them",
    NATGatewaysReady: "the NAT gateways are as the spec wants them",
    LoadBalancersReady: "the load balancers are as the spec wants them",
  },
  KubeadmControlPlane: {
    Ready: "all conditions below are True",
    CertificatesAvailable: "the Secrets with the certificates of the cluster are there and readable",
    Available: "the cluster is initialized, its API answers, and at least one machine is healthy",
    MachinesCreated: "nothing holds the next change of the machines up",
    MachinesSpecUpToDate: "all machines have the desired version, template and kubeadm configuration",
    Resized: "there are as many machines as `spec.replicas` says",
    ControlPlaneComponentsHealthy: "the Nodes and the static pods of all machines are ready",
    EtcdClusterHealthy:
      "each machine has a healthy member of etcd, and each member a machine; or etcd is external",
  },
  AzureManagedCluster: { Ready: "the control plane has an endpoint" },
  AzureManagedControlPlane: {
    Ready: "all conditions below are True",
    ResourceGroupReady: "the resource group is as the spec wants it",
    VNetGroupReady: "the resource group of the virtual network is as the spec wants it",
    VNetReady: "the virtual network is as the spec wants it",
    SubnetsReady: "the subnet is as the spec wants it",
    SpecFulfilled:
      "no patch or manifest asks for something that Capstan cannot do; it does not count for Ready",
    ManagedClusterRunning: "AKS has brought the cluster to its spec, patches included",
  },
  AzureManagedMachinePool: {
    Ready: "AgentPoolsReady is True",
    SpecFulfilled:
      "no patch or manifest asks for something that Capstan cannot do; it does not count for Ready",
    AgentPoolsReady: "AKS has brought the pool to its spec, patches included",
  },
  MachinePool: {
    Ready: "all conditions below are True",
    BootstrapReady: "the bootstrap data for new machines is there",
    InfrastructureReady: "the object in `infrastructureRef`, such as the AzureMachinePool, is ready",
    ReplicasReady: "as many Nodes are Ready as `spec.replicas` says",
  },
  MachineHealthCheck: {
    MatchesNoMachinePool:
      "the selector picks no machine of a MachinePool; health checks do not look after those",
  },
  KubeadmConfig: {
    Ready: "the bootstrap data is written and current",
    DataSecretAvailable: "the Secret with the bootstrap data is there",
    CertificatesAvailable:
      "the certificate authority that machines check the API server with is known, or the user gave another check",
  },
  AzureMachinePool: {
    Ready: "the four conditions below are True; RolloutProgressing and RemovalBlocked do not count",
    BootstrapSucceeded: "the bootstrap data for new machines is there",
    ScaleSetRunning: "the scale set exists, and Azure refused or failed no change of it",
    ScaleSetDesiredReplicas: "the scale set has as many machines as wanted, and none is leaving",
    ScaleSetModelUpdated: "the scale set and all machines have the wanted model",
    RolloutProgressing: "a rollout is under way or complete; when False, the reason says what holds it",
    RemovalBlocked:
      "a list of the scale set lacks so many instances that the pool controller does not believe it; this condition is set only once that has happened",
  },
  AzureClusterIdentity: {
    Ready: "the Secret of the identity is there; whether Azure accepts it shows in the AzureClusters",
  },
  AzureMachinePoolMachine: {
    Ready:
      "VMRunning, BootstrapSucceeded and NodeHealthy are True, and the machine is neither drained nor updated",
    VMRunning: "the VM runs",
    BootstrapSucceeded: "the VM has become a Node since its last installation",
    NodeHealthy: "the Node is Ready, and reports neither pressure nor an unavailable network",
    NodeSchedulable:
      "the Node takes pods; this condition is set only once a client other than Capstan has cordoned it",
    Drained:
      "the instance may be deleted or updated; this condition is set only while a machine leaves or is updated",
    VolumeDetachSucceeded:
      "no volume is attached to the drained Node; this condition is set only once one was, after the drain",
    InstanceUpdated:
      "the instance has its new model; this condition is set only after Azure failed to update it in place",
  },
};

/** The reasons of events that are passed through a variable, so that reading the sources does not show who gives them. */
export const PASSED_ON: Readonly<Record<string, readonly string[]>> = {
  Cluster: ["InfrastructureReady", "ControlPlaneReady"],
  AzureMachinePool: ["ScaleSetCreated", "ScaleSetUpdated"],
  AzureMachinePoolMachine: [
    "Drained",
    "DrainBlocked",
    "DrainSkipped",
    "DrainTimedOut",
    "NoNode",
    "WaitingForVolumeDetach",
  ],
};
