import type { ReasonText } from "./reason-text.ts";

/** Reasons of Clusters, of references between objects, and of every kind. */
export const CLUSTER_REASONS = {
  ApiServerAnswers: {
    meaning: "The API server of the workload cluster answers, and no control plane object reports for it.",
    cure: "Nothing: this is the desired state.",
  },
  ControlPlaneReady: {
    meaning: "The control plane has become ready.",
    cure: "Nothing: this only reports progress.",
  },
  ControllerReports: {
    meaning: "A controller reports the state of the control plane, which had none before.",
    cure: "Nothing: this is the desired state.",
  },
  Deleting: {
    meaning:
      "The object is being deleted, and what belongs to it in Azure or in the management cluster is deleted first.",
    cure: "Nothing: it passes when all of that is gone; if it lasts, look at the objects in the message, and at the resource group in Azure.",
  },
  IdentityInUse: {
    meaning: "The identity is being deleted, but AzureClusters still log in with it.",
    cure: "Delete the AzureClusters in the message, or give them another `spec.identityRef`.",
  },
  IncorrectExternalRef: {
    meaning: "A reference to an object of a provider has a wrong namespace, name, apiVersion or kind.",
    cure: "Correct the field that the message names.",
  },
  IncorrectTemplate: {
    meaning:
      "A template cannot be cloned: its kind does not end with Template, or it has no `spec.template.spec`.",
    cure: "Correct the template, or refer to another one.",
  },
  InfrastructureReady: {
    meaning: "The infrastructure of the cluster has become ready.",
    cure: "Nothing: this only reports progress.",
  },
  Initialized: {
    meaning: "The control plane provider says that the first API server is up.",
    cure: "Nothing: this is the desired state.",
  },
  InternalError: {
    meaning: "Capstan hit a bug of its own, and tries again with a growing delay.",
    cure: "Look up the id of the message in the log of the manager, and report the bug.",
  },
  MachinePoolMatched: {
    meaning:
      "The selector of the health check picks machines of a MachinePool, which health checks do not look after.",
    cure: "Narrow `spec.selector`, or delete the health check: a pool replaces machines whose VM failed or stopped by itself.",
  },
  NoController: {
    meaning:
      "The API server of the cluster answers, but no controller acts on the object in `spec.controlPlaneRef`.",
    cure: "Nothing in the simulator, where a stand-in serves the control plane; elsewhere install the provider of that kind.",
  },
  NoInfrastructureReferenced: {
    meaning: "The Cluster has no `spec.infrastructureRef`, so its infrastructure counts as ready.",
    cure: "Nothing, unless the Cluster should have infrastructure: then set `spec.infrastructureRef`.",
  },
  NotPaused: {
    meaning: "The object is not paused: its controller acts on it.",
    cure: "Nothing: this is the desired state.",
  },
  Paused: {
    meaning: "The object, its Cluster or its MachinePool is paused, so its controller changes nothing.",
    cure: "Resume it when you are done: remove the annotation `cluster.x-k8s.io/paused` (for a pool: `capstan rollout resume`), or set `spec.paused` of the Cluster to false.",
  },
  Ready: {
    meaning:
      "All conditions that this one sums up are True, or the object that a reference names is ready and gives no reason of its own.",
    cure: "Nothing: this is the desired state.",
  },
  Reconciled: {
    meaning: "The last reconcile did all that the spec asks for.",
    cure: "Nothing: this is the desired state.",
  },
  ReferencedObjectTaken: {
    meaning: "The object that a reference names belongs to another owner already.",
    cure: "Refer to another object: each object can belong to one owner only.",
  },
  WaitingForControlPlane: {
    meaning: "The control plane is not there or not ready yet.",
    cure: "Look at the object in `spec.controlPlaneRef` of the Cluster; if the Cluster has none, see to it that its endpoint and its kubeconfig Secret are there.",
  },
  WaitingForControlPlaneDeletion: {
    meaning: "The Cluster is being deleted and waits until its control plane is gone.",
    cure: "Nothing: it passes when the control plane provider is done; if it lasts, look at the objects in the message.",
  },
  WaitingForControlPlaneEndpoint: {
    meaning: "The Cluster has no `spec.controlPlaneEndpoint` yet.",
    cure: "Nothing if an infrastructure or control plane provider sets it, which happens when its network is ready; otherwise set host and port yourself.",
  },
  WaitingForControlPlaneProviderInitialized: {
    meaning: "The control plane provider has not said yet that the first API server is up.",
    cure: "Nothing: it passes when the first control plane machine is up; if it lasts, look at the object in `spec.controlPlaneRef`.",
  },
  WaitingForInfrastructure: {
    meaning: "The object that `infrastructureRef` names does not exist, or is not ready yet.",
    cure: "Look at the conditions of that object; if it does not exist, create it or correct the reference.",
  },
  WaitingForInfrastructureDeletion: {
    meaning:
      "The object is being deleted and waits until its infrastructure object (and the bootstrap config of a pool) is gone.",
    cure: "Nothing: it passes when the controller of that object is done; if it lasts, look at the conditions of the object in the message.",
  },
  WaitingForMachinePoolsDeletion: {
    meaning: "The Cluster is being deleted and waits until its MachinePools are gone.",
    cure: "Nothing: it passes when the pools are gone; if it lasts, look at the conditions of the MachinePools in the message.",
  },
  WaitingForWorkersDeletion: {
    meaning:
      "The Cluster is being deleted and waits until its worker MachineDeployments, MachineSets and Machines are gone.",
    cure: "Nothing: it passes when their controllers are done; if it lasts, look at the objects in the message.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
