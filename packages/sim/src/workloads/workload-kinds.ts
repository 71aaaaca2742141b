import {
  builtInKind,
  type Frozen,
  type Kind,
  type KubernetesObject,
  Pod,
  type PodCondition,
} from "@capstan/api";

/** The template of a workload's pods. */
export interface PodTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: NonNullable<Pod["spec"]>;
}

/** The status of one container. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: { waiting?: { reason: string }; running?: { startedAt: string } };
}

/** A pod with the status that its kubelet reports. */
export interface WorkloadPod extends Pod {
  status?: NonNullable<Pod["status"]> & { podIPs?: { ip: string }[]; containerStatuses?: ContainerStatus[] };
}

/** What all workloads have in common. */
interface WorkloadSpec {
  selector: { matchLabels?: Record<string, string> };
  template: PodTemplate;
  minReadySeconds?: number;
}

/** The status is written as a whole, and only compared here. */
type Status = Record<string, unknown> & { conditions?: PodCondition[] };

/** A ReplicaSet. */
export interface ReplicaSet extends KubernetesObject {
  spec: WorkloadSpec & { replicas?: number };
  status?: Status & { replicas?: number; readyReplicas?: number; availableReplicas?: number };
}

/** A Deployment. */
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

/** A StatefulSet. */
export interface StatefulSet extends KubernetesObject {
  spec: WorkloadSpec & {
    replicas?: number;
    podManagementPolicy?: "OrderedReady" | "Parallel";
    updateStrategy?: { type?: "RollingUpdate" | "OnDelete" };
  };
  status?: Status & { currentRevision?: string };
}

/** A DaemonSet. */
export interface DaemonSet extends KubernetesObject {
  spec: WorkloadSpec & {
    updateStrategy?: {
      type?: "RollingUpdate" | "OnDelete";
      rollingUpdate?: { maxUnavailable?: number | string };
    };
  };
  status?: Status;
}

// Without the status subresource the runner leaves conditions alone: it would add a Ready condition, which Kubernetes does
// not have here.
const apps = <T extends KubernetesObject>(kind: string, plural: string): Kind<T> =>
  builtInKind<T>({ group: "apps", version: "v1", kind, plural, namespaced: true });

/** The kind ReplicaSet. */
export const ReplicaSet = apps<ReplicaSet>("ReplicaSet", "replicasets");
/** The kind Deployment. */
export const Deployment = apps<Deployment>("Deployment", "deployments");
/** The kind StatefulSet. */
export const StatefulSet = apps<StatefulSet>("StatefulSet", "statefulsets");
/** The kind DaemonSet. */
export const DaemonSet = apps<DaemonSet>("DaemonSet", "daemonsets");
/** The kind Pod, with the status that its kubelet reports. */
export const WorkloadPod = Pod as Kind<WorkloadPod>;

/** Binds a pod to a node. */
export interface Binding extends KubernetesObject {
  target: { apiVersion: string; kind: string; name: string };
}

/** The kind Binding; it is posted to the pod. */
export const Binding = builtInKind<Binding>({
  group: "",
  version: "v1",
  kind: "Binding",
  plural: "pods",
  namespaced: true,
});

/** A change of a workload's pods, and why. */
export type PodAction =
  | { readonly type: "create"; readonly why: string; readonly name?: string; readonly nodeName?: string }
  | { readonly type: "delete"; readonly why: string; readonly pod: Frozen<WorkloadPod> };
