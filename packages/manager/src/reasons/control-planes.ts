import type { ReasonText } from "./reason-text.ts";

/** Reasons of KubeadmControlPlanes. */
export const CONTROL_PLANE_REASONS = {
  CannotBeRemediated: {
    meaning: "A machine and its replacements failed as often as `spec.remediation.maxRetry` allows.",
    cure: "Find out why machines fail, correct it, and delete the Machine that the message names.",
  },
  CertificateCreated: {
    meaning: "The controller created a Secret with certificates or keys of the cluster.",
    cure: "Nothing: this only reports progress. Back the Secret up: machines can join only with it.",
  },
  CertificateMade: {
    meaning: "Another client created the Secret of a certificate at the same moment.",
    cure: "Nothing: the controller uses the certificate of the other client.",
  },
  CreatingMachine: {
    meaning: "The controller completes the creation of a machine whose name it has recorded.",
    cure: "Nothing: it passes with the next reconcile.",
  },
  EtcdClusterUnhealthy: {
    meaning: "A member of etcd is not healthy, or has no machine.",
    cure: "Read the message; a MachineHealthCheck replaces unhealthy machines, and members without a machine are removed.",
  },
  EtcdClusterUnknown: {
    meaning: "The members of etcd cannot be read at the moment, so no machine is deleted.",
    cure: "Look why the API server or the etcd pods do not answer; the controller retries.",
  },
  EtcdLeaderMoved: {
    meaning: "The leadership of etcd moved off a machine before the machine is deleted.",
    cure: "Nothing: this only reports progress.",
  },
  EtcdMemberRemoved: {
    meaning: "The controller removed a member of etcd whose machine is being deleted or is gone.",
    cure: "Nothing: this only reports progress.",
  },
  EtcdUnknown: {
    meaning: "A machine should go, and the members of etcd cannot be read, so it stays.",
    cure: "Look why the API server or the etcd pods do not answer; the controller retries.",
  },
  EtcdUnreachable: {
    meaning: "A member of etcd does not answer.",
    cure: "Look at the etcd pod of the machine; the controller asks another member.",
  },
  External: {
    meaning: "Users run etcd outside of the cluster, so its health is not reported here.",
    cure: "Nothing: watch your etcd with its own tools.",
  },
  KubeadmConfigUnreadable: {
    meaning:
      "ConfigMap kube-system/kubeadm-config of the workload cluster has no readable ClusterConfiguration.",
    cure: "Restore the ConfigMap: no machine can join without it.",
  },
  KubeconfigRenewed: {
    meaning:
      "The controller wrote a new kubeconfig of the cluster, because the old one expires or has another endpoint.",
    cure: "Have clients read the Secret again.",
  },
  MachineRemediated: {
    meaning: "The controller deleted a machine that a health check or a user marked; a replacement follows.",
    cure: "Nothing: this only reports progress.",
  },
  MachinesSpecUpToDate: {
    meaning: "All machines have the desired version, template and kubeadm configuration.",
    cure: "Nothing.",
  },
  NotAvailable: {
    meaning: "No machine of the control plane is healthy, or certificates of the cluster are missing.",
    cure: "Read the message; look at the conditions of the Machines, or restore the Secret that it names.",
  },
  QuorumAtRisk: {
    meaning:
      "A machine should go, and etcd would lose its quorum or its leader without the machine's member.",
    cure: "Repair the other machines first; the message counts the members.",
  },
  QuorumLost: {
    meaning: "All machines of an initialized control plane are gone, and with them the data of etcd.",
    cure: "Restore etcd from a backup, or delete the Cluster and create it again.",
  },
  RemediationDeferred: {
    meaning:
      "An unhealthy machine is not replaced yet: another change is under way, or a retry period has not passed.",
    cure: "Nothing, mostly: the message says what it waits for.",
  },
  RollingUpdateInProgress: {
    meaning:
      "Machines are replaced one by one, because the version, the template or the kubeadm configuration changed.",
    cure: "Nothing: it passes when all machines are new; `MachinesCreated` says why it stops if it does.",
  },
  WaitingForHealth: {
    meaning: "Something of the control plane is not healthy yet, so the next change waits.",
    cure: "Nothing, mostly; the conditions name the machine and its part.",
  },
  WaitingForKubeadmInit: {
    meaning: "The first machine of the control plane has not run `kubeadm init` to its end.",
    cure: "Nothing, mostly: it takes some minutes; otherwise look at the cloud-init log of the machine.",
  },
  WaitingForMachineDeletion: {
    meaning: "The control plane is being deleted, and waits for its machines.",
    cure: "Nothing: it passes when they are gone.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
