import {
  builtInKind,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Pod,
  type PodCondition,
} from "@capstan/api";

/** What each pod of a workload is made from. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: NonNullable<Pod["spec"]>;
}

/** How one container of a pod is doing. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: { waiting?: { reason: string }; running?: { startedAt: string } };
}

/** A pod with what its kubelet reports. */
export interface WorkloadPod extends Pod {
  status?: NonNullable<Pod["status"]> & { podIPs?: { ip: string }[]; containerStatuses?: ContainerStatus[] };
}

/** What all workloads have in common. */
interface WorkloadSpec {
  selector: { matchLabels?: Record<string, string> };
  template: PodTemplate;
  minReadySeconds?: number;
}

/** A status is written whole, and only compared here. */
type Status = Record<string, unknown> & { conditions?: PodCondition[] };

/** Keeps a number of equal pods. */
export interface ReplicaSet extends KubernetesObject {
  spec: WorkloadSpec & { replicas?: number };
  status?: Status & { replicas?: number; readyReplicas?: number; availableReplicas?: number };
}

/** Moves a number of equal pods from one template to the next. */
export interface Deployment extends KubernetesObject {
  spec: WorkloadSpec & {
    replicas?: number;
    paused?: boolean;
    revisionHistoryLimit?: number;
    strategy?: {
      type?: "RollingUpdate" | "Recreate";
      rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string };
    };
  };
  status?: Status;
}

/** Keeps numbered pods, each with a name of its own. */
export interface StatefulSet extends KubernetesObject {
  spec: WorkloadSpec & {
    replicas?: number;
    podManagementPolicy?: "OrderedReady" | "Parallel";
    updateStrategy?: { type?: "RollingUpdate" | "OnDelete" };
  };
  status?: Status & { currentRevision?: string };
}

/** Keeps a pod on each node. */
export interface DaemonSet extends KubernetesObject {
  spec: WorkloadSpec & {
    updateStrategy?: {
      type?: "RollingUpdate" | "OnDelete";
      rollingUpdate?: { maxUnavailable?: number | string };
    };
  };
  status?: Status;
}

// Without the subresource the runner leaves the conditions alone: it would add a Ready that Kubernetes does not know.
const apps = <T extends KubernetesObject>(kind: string, plural: string): Kind<T> =>
  builtInKind<T>({ group: "apps", version: "v1", kind, plural, namespaced: true });

/** Keeps a number of equal pods. */
export const ReplicaSet = apps<ReplicaSet>("ReplicaSet", "replicasets");
/** Moves a number of equal pods from one template to the next. */
export const Deployment = apps<Deployment>("Deployment", "deployments");
/** Keeps numbered pods, each with a name of its own. */
export const StatefulSet = apps<StatefulSet>("StatefulSet", "statefulsets");
/** Keeps a pod on each node. */
export const DaemonSet = apps<DaemonSet>("DaemonSet", "daemonsets");
/** The kind Pod, with what its kubelet reports. */
export const WorkloadPod = Pod as Kind<WorkloadPod>;

/** Puts a pod on a node. */
export interface Binding extends KubernetesObject {
  target: { apiVersion: string; kind: string; name: string };
}

/** Puts a pod on a node; it is posted to the pod itself. */
export const Binding = builtInKind<Binding>({
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "pods",
  namespaced: true,
});

/** A change to the pods of a workload, and why. */
export type PodAction =
  | { readonly type: "create"; readonly why: string; readonly name?: string; readonly nodeName?: string }
  | { readonly type: "delete"; readonly why: string; readonly pod: Frozen<WorkloadPod> };
