import type { ReasonText } from "./reason-text.ts";

/** Reasons of MachinePools and AzureMachinePools, also of plans that are blocked. */
export const POOL_REASONS = {
  AllReplicasReady: {
    meaning: "As many Nodes are Ready as the pool wants.",
    cure: "Nothing: this is the desired state.",
  },
  AzureClusterMissing: {
    meaning:
      "The pool is being deleted, but its AzureCluster is gone, whose identity could delete the scale set.",
    cure: "Delete the scale set in Azure, then remove the finalizer of the AzureMachinePool.",
  },
  BootstrapDataAvailable: {
    meaning: "The bootstrap data for new machines is there.",
    cure: "Nothing: this is the desired state.",
  },
  BootstrapDataExpired: {
    meaning:
      "Machines wait for their update in place, because they could not rejoin with the bootstrap data in the scale set.",
    cure: "Nothing: the pool controller writes fresh bootstrap data first.",
  },
  BudgetUsedUp: {
    meaning: "Too few machines are available to disrupt another one, and the pool may not add more.",
    cure: "Repair or delete the machines that are not available, or raise `maxSurge` or `maxUnavailable` in `spec.strategy.rollingUpdate`.",
  },
  CapacityMismatch: {
    meaning:
      "The scale set counts more machines than its list of instances shows, so the pool controller does not add any.",
    cure: "Nothing if it is short: the next list mostly agrees; if it lasts, compare `az vmss show` with `az vmss list-instances`, and ask Azure support.",
  },
  Complete: {
    meaning: "All machines have the wanted model, and nothing is left to do.",
    cure: "Nothing: this is the desired state.",
  },
  DataSecretGiven: {
    meaning: "The MachinePool names a Secret with bootstrap data itself, in `bootstrap.dataSecretName`.",
    cure: "Nothing: this is the desired state.",
  },
  DesiredReplicas: {
    meaning: "The scale set has as many machines as wanted.",
    cure: "Nothing: this is the desired state.",
  },
  DrainingMachines: {
    meaning: "The pool is being deleted, and its machines are drained first.",
    cure: "Nothing: it passes when all machines are drained; if it lasts, read the condition Drained of the AzureMachinePoolMachines.",
  },
  ExternallyScaled: {
    meaning:
      "An autoscaler owns the size of the pool, so a rollout may not add a machine, and `maxUnavailable` does not allow to take one away.",
    cure: "Set `spec.strategy.rollingUpdate.maxUnavailable` to at least 1.",
  },
  InstancesGone: {
    meaning:
      "Instances are gone from the scale set, so the pool controller deletes their AzureMachinePoolMachines.",
    cure: "Nothing, if you or an autoscaler deleted them; otherwise look into the activity log of the scale set.",
  },
  JoiningCluster: {
    meaning: "The controller writes the label of the Cluster on the MachinePool.",
    cure: "Nothing: it passes with the next reconcile, at once.",
  },
  MachinesPicked: {
    meaning: "The pool controller picked machines to delete or to update; the message says which and why.",
    cure: "Nothing: this only reports progress.",
  },
  ModelUpdated: {
    meaning: "The scale set and all machines have the wanted model.",
    cure: "Nothing: this is the desired state.",
  },
  NewMachinesNotAvailable: {
    meaning:
      "Machines with the new model failed, or have not become available for more than 10 minutes, so the rollout does not go on.",
    cure: "Read the conditions of these AzureMachinePoolMachines, then correct the image, the bootstrap config or the size: a changed spec starts a new rollout.",
  },
  NodeNotDrained: {
    meaning: "A Node has joined, or could not be read, after its machine counted as drained without a Node.",
    cure: "Nothing: the machine drains the Node before its instance is deleted or updated.",
  },
  NothingMissing: {
    meaning: "The instances of all machines are in the list of the scale set again.",
    cure: "Nothing: this is the desired state.",
  },
  OperationRunning: {
    meaning: "Azure is working on a change of the scale set or its instances.",
    cure: "Nothing: it passes when Azure is done.",
  },
  PollingReferences: {
    meaning:
      "The controller cannot watch the kind of a referenced object yet, so it reads the object every 30 seconds.",
    cure: "Nothing: it passes when the watch is established; if it lasts, check that the CustomResourceDefinition is installed and the manager may list and watch the kind.",
  },
  Progressing: {
    meaning: "A rollout or a change of size is under way.",
    cure: "Nothing: it passes when all machines are as wanted; follow it with `capstan rollout status`.",
  },
  ProviderIDNotUnique: {
    meaning: "Several Nodes have the provider id of one machine.",
    cure: "Delete the Nodes that do not belong to the VM, or correct the kubelet that claims the id.",
  },
  RememberingTags: {
    meaning: "The controller records in an annotation which tags it is about to write.",
    cure: "Nothing: it passes with the next reconcile, at once.",
  },
  RemovalBlocked: {
    meaning:
      "One list of the scale set lacks so many instances at once that the pool controller does not believe it, and removes nothing.",
    cure: "If the instances are gone, set the annotation `capstan.dev/allow-removal` on the pool to the number in the message; otherwise nothing: it passes when a list shows the instances, or two more lists agree.",
  },
  ScaleDownUnderWay: {
    meaning: "The pool first deletes the machines that are too many, and updates the others afterwards.",
    cure: "Nothing: it passes when these machines are gone.",
  },
  ScaleSetBusy: {
    meaning: "Another client is changing the scale set, so the controller does not write to it.",
    cure: "Nothing: it passes when that change has ended.",
  },
  ScaleSetCreated: {
    meaning: "The controller created the scale set.",
    cure: "Nothing: this only reports progress.",
  },
  ScaleSetCreating: {
    meaning: "The scale set does not exist yet, or Azure is creating it.",
    cure: "Nothing: it passes when Azure is done.",
  },
  ScaleSetDeleting: {
    meaning: "The pool is being deleted, and its scale set with it.",
    cure: "Nothing: it passes when the scale set is gone.",
  },
  ScaleSetForeign: {
    meaning: "A scale set of the pool's name exists that does not belong to this pool.",
    cure: "Create the pool with another name, or delete the scale set in Azure.",
  },
  ScaleSetModelOutOfDate: {
    meaning: "The scale set or some machines have an older model than wanted.",
    cure: "Nothing: it passes with the rollout; if it lasts, read the condition RolloutProgressing.",
  },
  ScaleSetProvisionFailed: {
    meaning: "Azure refused or failed the last change of the scale set; the message has Azure's own words.",
    cure: "Do what Azure's message asks for, such as to raise a quota or choose another size; the controller retries by itself.",
  },
  ScaleSetRunning: {
    meaning: "The scale set exists, and Azure has no complaint about it.",
    cure: "Nothing: this is the desired state.",
  },
  ScaleSetScalingDown: {
    meaning: "The scale set has more machines than wanted, or some are leaving.",
    cure: "Nothing: it passes when these machines are drained and deleted.",
  },
  ScaleSetScalingUp: {
    meaning: "The scale set has fewer machines than wanted.",
    cure: "Nothing: it passes when Azure has made the machines; if it lasts, read the conditions ScaleSetRunning and RolloutProgressing.",
  },
  ScaleSetUpdated: {
    meaning: "The controller wrote the scale set; the message says why.",
    cure: "Nothing: this only reports progress.",
  },
  TagsWritten: {
    meaning: "The controller wrote the tags of the scale set, and reads it again.",
    cure: "Nothing: it passes with the next reconcile, at once.",
  },
  TooManyMissing: {
    meaning:
      "One list of the scale set lacks so many instances at once that the pool controller does not believe it, and removes nothing.",
    cure: "As for RemovalBlocked: if the instances are gone, set the annotation `capstan.dev/allow-removal` on the pool to the number in the message.",
  },
  TooManyModels: {
    meaning:
      "The machines of the scale set have as many different models as Azure allows, so a new model or more machines have to wait.",
    cure: "Nothing: it passes when machines of the oldest models are replaced; if another reason holds the rollout, remove that first.",
  },
  UpdateNotPlanned: {
    meaning:
      "A client set the annotation that marks a machine for an update in place, and the pool controller removed it.",
    cure: "Use `capstan rollout restart` to have the machines of a pool replaced or updated.",
  },
  UserDeletion: {
    meaning: "Machines that a user deleted are still leaving, so the rollout does not disrupt others.",
    cure: "Nothing: it passes when these machines are gone.",
  },
  WaitingForBootstrapData: {
    meaning: "The bootstrap data for new machines is not there yet, or too old for machines to join with it.",
    cure: "Nothing: it passes when the bootstrap provider has written it; if it lasts, read the conditions of the KubeadmConfig.",
  },
  WaitingForCluster: {
    meaning:
      "The namespace has no Cluster of the name that the MachinePool or Machine gives in `clusterName`.",
    cure: "Create the Cluster, or correct `clusterName`.",
  },
  WaitingForClusterInfrastructure: {
    meaning: "The infrastructure of the Cluster is not ready yet.",
    cure: "Nothing: it passes when it is ready; if it lasts, read the conditions of the Cluster and the AzureCluster.",
  },
  WaitingForDataSecret: {
    meaning:
      "The bootstrap config does not exist, or has no data yet; or the MachinePool names neither a config nor a Secret.",
    cure: "Read the conditions of the object in `bootstrap.configRef`; without one, set `configRef` or `dataSecretName`.",
  },
  WaitingForMachinePoolOwner: {
    meaning: "No MachinePool names this AzureMachinePool in `infrastructureRef` yet.",
    cure: "Create the MachinePool, or correct its `spec.template.spec.infrastructureRef`.",
  },
  WaitingForMachines: {
    meaning: "The scale set is gone, and the pool waits until its AzureMachinePoolMachines are gone.",
    cure: "Nothing: it passes when their controller has removed their Nodes and finalizers.",
  },
  WaitingForMinReadySeconds: {
    meaning: "A Node is Ready, but not for `minReadySeconds` yet, so it does not count as available.",
    cure: "Nothing: it passes when that time is over.",
  },
  WaitingForReplicasReady: {
    meaning: "Fewer or more Nodes are Ready than the pool wants.",
    cure: "Nothing while the pool scales or rolls out; if it lasts, read the conditions of the AzureMachinePoolMachines.",
  },
  WatchingNodes: {
    meaning:
      "All is as wanted; the controller watches the Nodes and checks every two minutes that the cluster still answers.",
    cure: "Nothing: this is the desired state.",
  },
  WorkloadUnhealthy: {
    meaning:
      "More than 40 % of the Nodes of the cluster are not ready, so the pool controller replaces no machine for not working.",
    cure: "Repair what the Nodes have in common: network, control plane or image.",
  },
  WorkloadUnreachable: {
    meaning:
      "The API server of the workload cluster does not answer, so the pool controller does not know which machines are available, and disrupts none.",
    cure: "Make the API server reachable for the manager; the conditions of the Cluster say what is wrong.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
