import type { ReasonText } from "./reason-text.ts";

const PROGRESS = "Nothing: this only reports progress.";

/** Reasons of MachineDeployments, MachineSets and Machines. */
export const MACHINE_DEPLOYMENT_REASONS = {
  AdoptingMachineSets: {
    meaning:
      "The MachineDeployment becomes the controller of MachineSets that its selector matches and that had none.",
    cure: PROGRESS,
  },
  AdoptingMachines: {
    meaning: "The MachineSet becomes the controller of Machines that its selector matches and that had none.",
    cure: PROGRESS,
  },
  Available: {
    meaning:
      "The machine has been Ready for `minReadySeconds`; for a MachineDeployment, enough machines have.",
    cure: PROGRESS,
  },
  CheckingMachines: {
    meaning: "The health check looks at its machines again when the next timeout may have passed.",
    cure: PROGRESS,
  },
  DataSecretProvided: {
    meaning: "`spec.bootstrap.dataSecretName` names the bootstrap data, so no bootstrap config is needed.",
    cure: PROGRESS,
  },
  FieldContested: {
    meaning:
      "Another client has changed a field that Capstan applies back five times within a minute; Capstan applies it again after a minute, and then at most every five minutes.",
    cure: "Remove the field from what the client applies, whose field manager the message names, or from the manifest of the owner.",
  },
  ForgedMoves: {
    meaning:
      "A MachineSet has annotations with moves of machines that no MachineDeployment wrote, so it creates and deletes none.",
    cure: "Nothing, if a MachineDeployment controls the set: it removes them. Otherwise remove the annotations that the message names.",
  },
  HasRemediateAnnotation: {
    meaning: "A user asked to replace the machine with the annotation `cluster.x-k8s.io/remediate-machine`.",
    cure: PROGRESS,
  },
  HasRemediateMachineAnnotation: {
    meaning: "A user asked to replace the machine with the annotation `cluster.x-k8s.io/remediate-machine`.",
    cure: PROGRESS,
  },
  HealthCheckSucceeded: {
    meaning: "The health check found no reason to replace the machine.",
    cure: PROGRESS,
  },
  Healthy: { meaning: "The health check found no reason to replace the machine.", cure: PROGRESS },
  InPlaceUpdatesDisabled: {
    meaning:
      "The strategy of the MachineDeployment or KubeadmControlPlane updates machines in place, but the feature gate InPlaceUpdates is off. The number of machines follows `spec.replicas`; none is updated or replaced.",
    cure: "Turn the feature gate on, or set the type of the strategy to RollingUpdate to have machines replaced.",
  },
  KubeletVersionDiffers: {
    meaning: "The kubelet of the Node does not have the version of the machine, apart from build metadata.",
    cure: "Nothing while the machine is updated or replaced; otherwise an image has another version of Kubernetes than its machines ask for: correct the image or the version.",
  },
  MachineCreateDisabled: {
    meaning:
      "The MachineDeployment has a newer template and the strategy OnDelete, so this MachineSet creates no machines.",
    cure: "Nothing: new machines are created by the newer MachineSet.",
  },
  MachineHasFailure: {
    meaning: "The infrastructure or the bootstrap config of the machine has failed permanently.",
    cure: "Nothing: the owner of the machine replaces it. Correct the cause in the message, or the next machine fails too.",
  },
  MachineMarkedUnhealthy: {
    meaning: "A health check marked a machine, so that its owner replaces it.",
    cure: "Read the message.",
  },
  MachinesCreated: { meaning: "The MachineSet has created all machines that it may.", cure: PROGRESS },
  MachinesNotReady: {
    meaning: "Some machines of the MachineSet are not Ready.",
    cure: "Nothing while machines boot; otherwise read the conditions of the Machines that are not Ready.",
  },
  MachinesReady: { meaning: "All machines of the MachineSet are Ready.", cure: PROGRESS },
  NodeReady: { meaning: "The Node of the machine is Ready.", cure: PROGRESS },
  NodeStartupTimeout: {
    meaning: "The machine has not become a Node within `nodeStartupTimeoutSeconds`.",
    cure: "Nothing: the owner of the machine replaces it. If new machines fail too, look at their boot logs.",
  },
  NotEnoughAvailable: {
    meaning: "Fewer machines are available than the replicas minus `maxUnavailable`.",
    cure: "Nothing while machines boot; otherwise read the conditions of the Machines that are not available.",
  },
  NotReady: {
    meaning: "The machine is not available, because it is not Ready.",
    cure: "Read the condition Ready of the Machine.",
  },
  NotUpToDate: {
    meaning:
      "The MachineDeployment of the machine has another template by now, or its `spec.rollout.after` has passed.",
    cure: "Nothing: the rollout replaces or updates the machine. With the strategy OnDelete, delete the machine.",
  },
  PreflightCheckFailed: {
    meaning: "The MachineSet creates no machine, because the control plane is not in a state to take it.",
    cure: "Read the message. It passes when the control plane has its version; to skip a check, set the annotation `machineset.cluster.x-k8s.io/skip-preflight-checks`.",
  },
  ReferencedObjectDeleted: {
    meaning: "The infrastructure or the bootstrap config of a running machine was deleted.",
    cure: "Delete the Machine: its MachineSet replaces it.",
  },
  RemediationAllowed: {
    meaning: "Few enough machines are unhealthy that they may be replaced.",
    cure: PROGRESS,
  },
  RemediationLimited: {
    meaning: "`spec.remediation.maxInFlight` of the MachineDeployment allows no more replacements at once.",
    cure: "Nothing: it passes when the machines that are being replaced are gone.",
  },
  Resized: { meaning: "The MachineSet has as many machines as replicas.", cure: PROGRESS },
  RollingOut: {
    meaning:
      "The MachineDeployment replaces machines, or creates missing ones; the message has the next steps.",
    cure: "Nothing: it passes when all machines have the template and are available.",
  },
  RolloutComplete: { meaning: "All machines have the template and are available.", cure: PROGRESS },
  RolloutPaused: {
    meaning: "`spec.paused` of the MachineDeployment is true, so no rollout starts or continues.",
    cure: "`capstan rollout resume`, or set `spec.paused` to false.",
  },
  ScalingDown: { meaning: "The MachineSet has more machines than replicas.", cure: "Nothing: it passes." },
  ScalingUp: {
    meaning: "The MachineSet has fewer machines than replicas.",
    cure: "Nothing, unless it lasts: then read the condition MachinesCreated.",
  },
  SuccessfulAdopt: { meaning: "The MachineSet became the controller of a Machine.", cure: PROGRESS },
  SuccessfulCreate: { meaning: "A Machine or a MachineSet was created.", cure: PROGRESS },
  SuccessfulDelete: { meaning: "A Machine or a MachineSet was deleted.", cure: PROGRESS },
  SuccessfulScale: { meaning: "The MachineDeployment changed the replicas of a MachineSet.", cure: PROGRESS },
  TooManyUnhealthy: {
    meaning: "More machines are unhealthy than `spec.remediation.triggerIf` allows, so none is replaced.",
    cure: "Find out why so many machines are unhealthy at once; to have them replaced anyway, raise the limit.",
  },
  UnhealthyMachine: {
    meaning: "A condition of the machine has had the status in `unhealthyMachineConditions` for too long.",
    cure: "Nothing: the owner of the machine replaces it.",
  },
  UnhealthyNode: {
    meaning: "A condition of the Node has had the status in `unhealthyNodeConditions` for too long.",
    cure: "Nothing: the owner of the machine replaces it.",
  },
  WaitingForBootstrapDeletion: {
    meaning: "The infrastructure of the machine is gone; its bootstrap config is being deleted.",
    cure: "Nothing: it passes when the bootstrap provider has removed its finalizer.",
  },
  WaitingForCache: {
    meaning: "The manager does not see an object yet that it has created before.",
    cure: "Nothing: it passes within seconds.",
  },
  WaitingForDeletionByUser: {
    meaning: "The strategy is OnDelete, so machines with the old template stay until a user deletes them.",
    cure: "Delete the Machines that you want to have replaced.",
  },
  WaitingForMachineSetsDeletion: {
    meaning: "The MachineDeployment is being deleted and waits for its MachineSets.",
    cure: "Nothing, unless it lasts: then read the conditions of the Machines.",
  },
  WaitingForMachinesDeletion: {
    meaning: "The MachineSet is being deleted and waits for its Machines.",
    cure: "Nothing, unless it lasts: then read the condition Ready of the Machines, which says what they wait for.",
  },
  WaitingForProviderID: {
    meaning: "The infrastructure of the machine is ready, but its provider has not set `spec.providerID`.",
    cure: "Nothing, unless it lasts: then the infrastructure provider does not follow Cluster API's contract.",
  },
  WaitingForRemediation: {
    meaning: "A health check asks the owner of the machine to replace it.",
    cure: "Nothing, if a MachineSet owns the machine; otherwise delete the Machine.",
  },
  WaitingForRolloutAfter: {
    meaning: "The machines are replaced when `spec.rollout.after` has passed.",
    cure: PROGRESS,
  },
  WaitingForTemplate: {
    meaning:
      "A template that the MachineSet or MachineDeployment refers to does not exist, so no machine is created.",
    cure: "Create the template, or correct the reference that the message names.",
  },
} as const satisfies Record<string, ReasonText>;
