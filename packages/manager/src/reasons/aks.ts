import type { ReasonText } from "./reason-text.ts";

/** Reasons of AKS clusters and their pools. */
export const AKS_REASONS = {
  AzureServiceOperatorNotInstalled: {
    meaning: "The server does not serve the kinds of Azure Service Operator, through which AKS is managed.",
    cure: "Install Azure Service Operator with the CRDs that the message names; nothing else has to be restarted.",
  },
  ClusterNotAdopted: {
    meaning:
      "An AKS cluster of that name exists in Azure, and neither its tags nor its user say that it belongs to this Cluster.",
    cure: "Choose another name, or adopt the cluster: the message lists what adoption would change in Azure, and the annotation to set.",
  },
  ClusterStopped: {
    meaning: "The AKS cluster was stopped; its API server does not answer and its nodes are deallocated.",
    cure: "Start it again with `az aks start`.",
  },
  FieldNotKept: {
    meaning:
      "The API server loses a field although Capstan applies it: it converts the object to another version, which has no such field. Azure does not get it.",
    cure: "Leave the field out, upgrade Azure Service Operator, or let the field manager that the message names write the object in the version of Capstan.",
  },
  FieldOwnedByOther: {
    meaning:
      "A patch removes a field from what Capstan sends, and another client keeps its value on the resource.",
    cure: "Remove the value with the client that the message names, or set another value by the patch.",
  },
  IdentitySecretMissing: {
    meaning: "The Secret of the AzureClusterIdentity does not exist, or lacks the key that its type needs.",
    cure: "Create the Secret that `spec.clientSecret` of the identity names, with the key in the message.",
  },
  LastSystemPool: {
    meaning: "The last System pool of a cluster is deleted, and the cluster is not: AKS refuses that.",
    cure: "Create another AzureManagedMachinePool of mode System, or delete the Cluster.",
  },
  ListingInstances: {
    meaning:
      "The manager has no route to the API server of a private AKS cluster, and reads the machines of the pool from its scale set in Azure.",
    cure: "Nothing; with a route, the manager would see the Nodes at once and without requests to Azure.",
  },
  ManagedByUser: {
    meaning:
      "A user created the resource of Azure Service Operator, so Capstan reads it and never changes it.",
    cure: "Make the change that the message names on that resource.",
  },
  NotAdopted: {
    meaning:
      "The pool belongs to an AKS cluster that is only read, and differs in Azure from what the manifests say.",
    cure: "Correct the manifests where the message says so, or adopt the cluster and let Capstan change the pool.",
  },
  NothingHidden: {
    meaning:
      "Every field that a patch removes is gone, and a resource of the user is as the manifests want it.",
    cure: "Nothing.",
  },
  PatchFailed: {
    meaning:
      "A patch of the user cannot be applied to the computed resource. The resource stays as it was, byte for byte.",
    cure: "Correct the patch that the message names by its index; `capstan plan -f FILE` shows what each patch does.",
  },
  PoolsInManagedCluster: {
    meaning:
      "A user created the ManagedCluster, AKS has created the cluster with its first pools, and `spec.agentPoolProfiles` still lists them: each write of the ManagedCluster would undo the changes of the pools.",
    cure: 'Remove the field, as the message says: `kubectl patch managedcluster NAME --type json -p \'[{"op":"remove","path":"/spec/agentPoolProfiles"}]\'`.',
  },
  Reconciling: {
    meaning: "Azure Service Operator works on the resource.",
    cure: "Nothing: it passes when Azure has finished; `kubectl describe managedcluster` shows how far it is.",
  },
  RefreshingKubeconfig: {
    meaning: "The cluster is settled; its kubeconfig Secret is compared with that of Azure Service Operator.",
    cure: "Nothing.",
  },
  Succeeded: {
    meaning: "Azure Service Operator has brought the resource to its spec.",
    cure: "Nothing.",
  },
  UnknownField: {
    meaning:
      "The computed or patched resource has a field that the installed CRD of Azure Service Operator lacks.",
    cure: "Correct the name, upgrade Azure Service Operator, or set `enablePreviewFeatures` for a preview field.",
  },
  WaitingForDeletion: {
    meaning: "An object of Azure Service Operator is being deleted, and the next step needs it to be gone.",
    cure: "Nothing: it passes when Azure has deleted the resource; if it lasts, look at the object that the message names.",
  },
  WaitingForPools: {
    meaning: "The control plane is deleted after its pools.",
    cure: "Nothing: it passes; if it lasts, look at the AzureManagedMachinePools that the message names.",
  },
  WaitingForSystemPool: {
    meaning: "AKS creates a cluster together with a System pool, and there is none yet.",
    cure: "Create a MachinePool with an AzureManagedMachinePool of mode System.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
