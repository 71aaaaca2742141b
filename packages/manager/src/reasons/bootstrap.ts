import type { ReasonText } from "./reason-text.ts";

/** Reasons of KubeadmConfigs and of the way to workload clusters. */
export const BOOTSTRAP_REASONS = {
  BootstrapDataWritten: {
    meaning: "The controller wrote the bootstrap data; the message says why.",
    cure: "Nothing: this only reports progress.",
  },
  CertificatesCorrupted: {
    meaning: "The certificate authority of the cluster is not a PEM certificate.",
    cure: "Correct `tls.crt` in the Secret `<cluster>-ca`, or the ConfigMap `kube-public/cluster-info` in the workload cluster.",
  },
  ClusterDeleting: {
    meaning: "The Cluster is being deleted, so no machine joins it any more.",
    cure: "Nothing: it passes when the config is deleted with its Cluster.",
  },
  DataSecretAvailable: {
    meaning: "The Secret with the bootstrap data is there and current.",
    cure: "Nothing: this is the desired state.",
  },
  DataSecretGenerationFailed: {
    meaning:
      "The bootstrap data cannot be made: the config asks for something that is not supported, the data is too large, or the Secret's name is taken.",
    cure: "Do what the message asks for: change the config, make it smaller, or remove the other Secret.",
  },
  DataSecretGone: {
    meaning: "A client deleted the Secret with the bootstrap data while the controller wrote it.",
    cure: "Nothing: it passes with the next reconcile, which makes the Secret again.",
  },
  Found: {
    meaning: "The certificate authority of the cluster is known.",
    cure: "Nothing: this is the desired state.",
  },
  GivenByUser: {
    meaning: "The discovery in `joinConfiguration` says itself how machines check the API server.",
    cure: "Nothing: this is the desired state.",
  },
  JoinTokenFailed: {
    meaning: "The workload cluster refused to create or extend the join token.",
    cure: "Check that the credentials in the kubeconfig Secret may write Secrets in `kube-system`; the controller retries.",
  },
  JoinTokenTaken: {
    meaning: "The workload cluster has another join token with the same id.",
    cure: "Nothing: it passes with the next reconcile, which uses a new id.",
  },
  KubeconfigRefused: {
    meaning:
      "The kubeconfig Secret is not safe or not usable: it runs a program, reads a file, weakens TLS, impersonates, or leads to another host than the endpoint.",
    cure: "Correct the Secret `<cluster>-kubeconfig` as the message says.",
  },
  VersionMissing: {
    meaning: "The owner of the config has no Kubernetes version, which the join configuration depends on.",
    cure: "Set the version in the field that the message names, such as v1.31.2.",
  },
  VersionNotSupported: {
    meaning: "The Kubernetes version of the owner is older than v1.22.0, or not a version.",
    cure: "Correct the version in the field that the message names.",
  },
  WaitingForCertificates: {
    meaning: "Neither the Secret `<cluster>-ca` nor the workload cluster has the certificate authority.",
    cure: "Nothing if the control plane is still coming up; otherwise create the Secret with the key `tls.crt`.",
  },
  WaitingForControlPlaneAvailable: {
    meaning: "The control plane of the Cluster has no endpoint, or its API server does not answer.",
    cure: "Nothing if the control plane is still coming up; otherwise read the conditions of the Cluster.",
  },
  WaitingForKubeconfig: {
    meaning: "The Secret `<cluster>-kubeconfig` is not there yet.",
    cure: "Nothing if the control plane provider writes it; otherwise create it with the kubeconfig under the key `value`.",
  },
  WaitingForNodes: {
    meaning: "The Nodes of the workload cluster are not listed yet, or the last list is too old to act on.",
    cure: "Nothing if it is short; if it lasts, check that the credentials in the kubeconfig Secret may list and watch Nodes, and read the log of the manager.",
  },
  WaitingForOwner: {
    meaning: "No MachinePool or Machine names this KubeadmConfig in `bootstrap.configRef` yet.",
    cure: "Create the owner, or correct its `bootstrap.configRef`.",
  },
  WaitingForSecret: {
    meaning: "A Secret that the config takes a value from is missing, or lacks the key.",
    cure: "Create the Secret or the key that the message names; the controller looks again every 30 seconds.",
  },
  WorkloadClusterConnecting: {
    meaning: "The manager is connecting to the API server of the workload cluster.",
    cure: "Nothing: it passes within seconds; otherwise the reason changes to WorkloadClusterUnreachable.",
  },
  WorkloadClusterUnreachable: {
    meaning: "The API server of the workload cluster does not answer, or not as it should.",
    cure: "Check the endpoint, the load balancer and the security groups on the way from the manager, and the credentials in the Secret `<cluster>-kubeconfig`.",
  },
  WorkloadClusterUntrusted: {
    meaning:
      "The server at the endpoint of the workload cluster has a certificate that the authority of the cluster did not sign, or that has expired. No credential was sent.",
    cure: "Direct the endpoint (DNS name, load balancer) to the machines of the control plane. If you replaced the authority, correct the Secret `<cluster>-kubeconfig`.",
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
