import type { ReasonText } from "./reason-text.ts";

/** Reasons of AzureMachinePoolMachines and of drains. */
export const MACHINE_REASONS = {
  BootstrapFailed: {
    meaning: "Azure reports that the boot of the VM or one of its extensions failed, and no Node has joined.",
    cure: "Read the message and the boot diagnostics of the VM, and correct the bootstrap config or the image; delete the machine to have it replaced sooner.",
  },
  BootstrapInProgress: {
    meaning: "The VM has not become a Node yet.",
    cure: "Nothing: it passes when Azure is done; otherwise read the condition VMRunning.",
  },
  DrainBlocked: {
    meaning:
      "The workload cluster refuses to evict pods, mostly because of a PodDisruptionBudget, so the machine stays.",
    cure: "Make more pods of these workloads ready elsewhere, loosen their PodDisruptionBudget, or leave only one budget for each pod; the message names the pods and budgets, for a pool the condition Drained of its machines does.",
  },
  DrainSkipped: {
    meaning:
      "The machine was not drained, because it has the annotation `machine.cluster.x-k8s.io/exclude-node-draining`.",
    cure: "Nothing, if you want that; otherwise remove the annotation from the other machines.",
  },
  DrainTimedOut: {
    meaning:
      "The drain took longer than `deletion.nodeDrainTimeoutSeconds` (`nodeDrainTimeout` of an AzureMachinePool), so the machine goes with the pods that are left on it.",
    cure: "Nothing for this machine; raise the timeout or correct the PodDisruptionBudgets if pods were lost.",
  },
  Drained: {
    meaning: "The pods have left the Node, so the instance may be deleted or updated.",
    cure: "Nothing: this only reports progress.",
  },
  Draining: {
    meaning: "The controller cordoned the Node, and evicts its pods.",
    cure: "Nothing: it passes when the pods have stopped.",
  },
  ForeignInstance: {
    meaning: "`spec.providerID` of the machine names an instance that is not in the scale set of its pool.",
    cure: "Delete the AzureMachinePoolMachine: the controller does not act on it.",
  },
  InstanceGone: {
    meaning:
      "The instance is not in the list of the scale set any more, so nothing runs there that could be drained.",
    cure: "Nothing: it passes when the pool controller deletes the machine.",
  },
  InstanceTaken: {
    meaning: "Another AzureMachinePoolMachine stands for the same instance already.",
    cure: "Nothing: it passes when the pool controller deletes the duplicate.",
  },
  InstanceUpdateFailed: {
    meaning: "Azure failed to update the instance in place; the message has Azure's own words.",
    cure: "Do what Azure's message asks for; the pool replaces the machine if that lasts for more than 10 minutes.",
  },
  NoNode: {
    meaning: "The machine has no Node, so there is nothing to drain.",
    cure: "Nothing: this only reports progress.",
  },
  NodeConditionsFailed: {
    meaning: "The Node is not Ready, or reports pressure or an unavailable network.",
    cure: "Read the message and the kubelet's log on the Node; if it cannot be repaired, delete the AzureMachinePoolMachine, and the pool adds another one.",
  },
  NodeConditionsHealthy: {
    meaning: "The Node is Ready and reports no pressure.",
    cure: "Nothing: this is the desired state.",
  },
  NodeCordoned: {
    meaning: "A client other than Capstan cordoned the Node, so the machine does not count as available.",
    cure: "Run `kubectl uncordon` in the workload cluster when you are done with the Node.",
  },
  NodeDeleted: {
    meaning: "The controller deleted the Node object, because its machine leaves or is updated in place.",
    cure: "Nothing: this only reports progress.",
  },
  NodeDisputed: {
    meaning:
      "Several Nodes claim to be this machine, or one claims it whose name, system UUID or age does not fit the VM.",
    cure: "Delete the Nodes in the message that do not belong to the VM.",
  },
  NodeJoined: {
    meaning: "The VM has become a Node.",
    cure: "Nothing: this is the desired state.",
  },
  NodeJoining: {
    meaning: "The VM has booted, and its Node is not there or not Ready yet.",
    cure: "Nothing: it passes when the Node is Ready; after 4 minutes the other conditions report what is wrong.",
  },
  NodeNotFound: {
    meaning: "The Node of the machine is gone from the workload cluster.",
    cure: "Restart the kubelet of the VM so that it registers again, or delete the AzureMachinePoolMachine, and the pool adds another one.",
  },
  NodeNotJoined: {
    meaning: "The VM has run for 10 minutes, and no Node has joined the workload cluster.",
    cure: "Read `/var/log/cloud-init-output.log` on the VM, or its serial log in Azure: mostly the image has no kubeadm, the join token has expired, or the API server cannot be reached from the subnet. Correct that, and delete the machine to have it replaced.",
  },
  NodeProvisioning: {
    meaning: "The VM is provisioned, and its Node is not there yet.",
    cure: "Nothing: it passes when kubeadm has joined; after 10 minutes the reason is NodeNotJoined.",
  },
  NodeTakesPods: {
    meaning: "The Node was cordoned, and takes pods again.",
    cure: "Nothing: this is the desired state.",
  },
  NotLookedYet: {
    meaning: "The controller has not looked for the Node in this reconcile.",
    cure: "Nothing: it passes with the next reconcile.",
  },
  PoolPaused: {
    meaning: "The machine is not drained while its pool is paused.",
    cure: "Run `capstan rollout resume`, or remove the annotation `cluster.x-k8s.io/paused` from the AzureMachinePool and the MachinePool.",
  },
  Running: {
    meaning: "The VM runs.",
    cure: "Nothing: this is the desired state.",
  },
  Uncordoned: {
    meaning: "The update in place is off or done, and the Node takes pods again.",
    cure: "Nothing: this only reports progress.",
  },
  UpdatedInPlace: {
    meaning: "The instance came back from its update in place, and takes pods again.",
    cure: "Nothing: this only reports progress.",
  },
  UpdatingInPlace: {
    meaning:
      "A machine is updated in place: by Azure, which gives an instance of a pool the new model, or by updaters.",
    cure: "Nothing: it passes when the machine is up to date; if it lasts, read the conditions InstanceUpdated, UpToDate and Updating of the machine.",
  },
  VMDeallocated: {
    meaning: "The VM is deallocated: a user stopped it, or Azure evicted a spot VM.",
    cure: "Start the VM in Azure, or delete the machine; the pool replaces the machine if that lasts for more than 10 minutes.",
  },
  VMDeleting: {
    meaning: "Azure is deleting the VM.",
    cure: "Nothing: it passes when the VM is gone.",
  },
  VMProvisionFailed: {
    meaning:
      "Azure failed to provision the VM, or the provisioning was cancelled; the message has Azure's own words.",
    cure: "Do what Azure's message asks for; the pool replaces the machine if that lasts for more than 10 minutes.",
  },
  VMStopped: {
    meaning: "The VM is stopped or stopping, and Azure still charges for it.",
    cure: "Start the VM in Azure, or delete the machine; the pool replaces the machine if that lasts for more than 10 minutes.",
  },
  WaitingExternalHook: {
    meaning:
      "The machine has a pre-drain or pre-terminate hook of Cluster API, which its owner has not removed.",
    cure: "Nothing: it passes when the owner removes the annotation in the message; if the owner is gone, remove it yourself.",
  },
  WaitingForInstanceDeletion: {
    meaning: "The machine is drained, and the pool controller deletes its instance in Azure.",
    cure: "Nothing: it passes when a list of the scale set lacks the instance.",
  },
  WaitingForInstanceList: {
    meaning: "The pool controller has not listed the instances of the scale set since the manager started.",
    cure: "Nothing: it passes with the first list; if it lasts, read the conditions of the AzureMachinePool.",
  },
  WaitingForNodeDeletion: {
    meaning: "The instance is gone, and the controller deletes the Node object.",
    cure: "Nothing: it passes when the Node is gone, or after `nodeDeletionTimeout`.",
  },
  WaitingForNodeRef: {
    meaning: "Azure has not finished the VM, so there is no Node yet.",
    cure: "Nothing: it passes when Azure is done; otherwise read the condition VMRunning.",
  },
  WaitingForPick: {
    meaning: "The machine is marked for an update in place, and the pool controller has not confirmed that.",
    cure: "Nothing: the pool controller picks the machine or removes the mark with its next reconcile; resume the pool if it is paused.",
  },
  WaitingForPool: {
    meaning: "There is no AzureMachinePool that owns the machine.",
    cure: "Nothing if the pool is about to be created or restored; otherwise delete the machine.",
  },
  WaitingForVolumeDetach: {
    meaning: "The Node is drained, and volumes are still attached to it.",
    cure: "Nothing: it passes when the volumes are detached; if it lasts, look at the VolumeAttachments, or set `nodeVolumeDetachTimeout`.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
