import { ONE_VERSION_PER_CONTRACT, providerLabels } from "../cluster/group.ts";

/** The group of bootstrap providers. */
export const BOOTSTRAP = { group: "bootstrap.cluster.x-k8s.io", version: "v1beta2" } as const;

/** The labels of a CRD that belongs to the kubeadm bootstrap provider. */
export const BOOTSTRAP_PROVIDER_LABELS = providerLabels("bootstrap-kubeadm", ONE_VERSION_PER_CONTRACT);
