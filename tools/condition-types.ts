/** The meaning of each condition of our kinds when it is True. A world test checks that none is missing. */
export const CONDITION_TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Cluster: {
    Ready: "all conditions below are True",
    InfrastructureReady: "what infrastructureRef names is ready, or nothing is named",
    ControlPlaneInitialized: "the API server has answered",
    ControlPlaneReady: "the control plane is ready",
  },
  AzureCluster: {
    Ready: "all conditions below are True",
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
    Ready: "all conditions below are True",
    BootstrapReady: "there is bootstrap data",
    InfrastructureReady: "the pool of the provider is ready",
    ReplicasReady: "as many Nodes are ready as are wanted",
  },
  MachineHealthCheck: {
    MatchesNoMachinePool:
      "none of the selected machines belongs to a pool, whose machines health checks ignore",
  },
  KubeadmConfig: {
    Ready: "all conditions below are True",
    DataSecretAvailable: "the Secret with the bootstrap data exists",
    CertificatesAvailable: "the authority of the cluster, which machines check, is known",
  },
  AzureMachinePool: {
    Ready: "all conditions below except RemovalBlocked are True",
    BootstrapSucceeded: "the bootstrap data for new machines exists",
    ScaleSetRunning: "the scale set exists and Azure has finished its last change",
    ScaleSetDesiredReplicas: "it has exactly the desired number of machines",
    ScaleSetModelUpdated: "all machines have the newest model",
    RolloutProgressing: "a rollout progresses or is complete; when False, the reason names the block",
    RemovalBlocked: "a list would remove so many machines that it is not trusted",
  },
  AzureClusterIdentity: {
    Ready: "clusters can use it",
  },
  AzureMachinePoolMachine: {
    NodeSchedulable: "the Node is schedulable; set only once a user has cordoned it",
    Ready: "the VM runs and its Node is ready",
    VMRunning: "the instance runs",
    BootstrapSucceeded: "a Node has joined with this boot of the instance",
    NodeHealthy: "the Node is ready",
    Drained: "all pods have left; set only while a machine is deleted or updated",
    VolumeDetachSucceeded: "no volume is attached to the drained Node any more; set only if one was",
    InstanceUpdated: "the instance has its new model; set only after Azure has failed to update it",
  },
};

/** The reasons of events that are variables in the sources, so that the generator cannot find them. */
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
