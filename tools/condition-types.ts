/** What each condition of our kinds says when it is True. A world test checks that none is missing. */
export const CONDITION_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Cluster: {
    Ready: "everything below is",
    InfrastructureReady: "what infrastructureRef names is ready, or nothing is named",
    ControlPlaneInitialized: "the API server has answered",
    ControlPlaneReady: "the control plane is ready",
  },
  AzureCluster: {
    Ready: "everything below is",
    NetworkInfrastructureReady: "the network as a whole is as the spec wants it",
    ResourceGroupReady: "so is the resource group",
    VNetReady: "the virtual network",
    SubnetsReady: "its subnets",
    SecurityGroupsReady: "the security groups and their rules",
    RouteTablesReady: "the route tables",
    PublicIPsReady: "the public addresses",
    NATGatewaysReady: "the NAT gateways",
    LoadBalancersReady: "the load balancers",
  },
  MachinePool: {
    Ready: "everything below is",
    BootstrapReady: "there is bootstrap data",
    InfrastructureReady: "the pool of the provider is ready",
    ReplicasReady: "as many Nodes are ready as are wanted",
  },
  MachineHealthCheck: {
    MatchesNoMachinePool:
      "none of the machines it picks belongs to a pool, where it would look after nothing",
  },
  KubeadmConfig: {
    Ready: "everything below is",
    DataSecretAvailable: "the Secret with the bootstrap data is there",
    CertificatesAvailable: "the authority of the cluster, which machines check, is known",
  },
  AzureMachinePool: {
    Ready: "everything below but RemovalBlocked is",
    BootstrapSucceeded: "there is bootstrap data to create machines with",
    ScaleSetRunning: "the scale set is there and Azure is done with it",
    ScaleSetDesiredReplicas: "it has as many machines as are wanted, and no more",
    ScaleSetModelUpdated: "all machines have the newest model",
    RolloutProgressing: "a rollout goes on, or is complete; when False, the reason says what holds it",
    RemovalBlocked: "a list would remove so many machines that it is not believed",
  },
  AzureClusterIdentity: {
    Ready: "clusters can log in with it",
  },
  AzureMachinePoolMachine: {
    NodeSchedulable: "pods may come to the Node; there only once somebody has cordoned it",
    Ready: "the VM runs and its Node is ready",
    VMRunning: "the instance runs",
    BootstrapSucceeded: "a Node has joined with this boot of the instance",
    NodeHealthy: "the Node is ready",
    Drained: "all pods have left; while a machine leaves or is updated",
    VolumeDetachSucceeded: "no volume is attached to the drained Node any more; there only once one was",
    InstanceUpdated: "the instance has its new model; there only after Azure has failed to give it one",
  },
};

/** The reasons that events take over from elsewhere, which no reader of the sources sees. */
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
