import { builtInKind } from "../kind.ts";
import type { KubernetesObject } from "./meta.ts";
import type { Taint } from "./taint.ts";

/** A condition of a node, as its kubelet reports it. */
export interface NodeCondition {
  type: string;
  status: "True" | "False" | "Unknown";
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

/** What the kubelet reports about its machine. */
export interface NodeInfo {
  architecture: string;
  bootID: string;
  containerRuntimeVersion: string;
  kernelVersion: string;
  kubeProxyVersion: string;
  kubeletVersion: string;
  machineID: string;
  operatingSystem: string;
  osImage: string;
  systemUUID: string;
}

/** An address of a node. */
export interface NodeAddress {
  type: string;
  address: string;
}

/** An image on the disk of a node. */
export interface ContainerImage {
  names?: string[];
  sizeBytes?: number;
}

/** A machine that runs pods. */
export interface Node extends KubernetesObject {
  spec?: {
    providerID?: string;
    unschedulable?: boolean;
    podCIDR?: string;
    podCIDRs?: string[];
    taints?: Taint[];
  };
  status?: {
    conditions?: NodeCondition[];
    addresses?: NodeAddress[];
    nodeInfo?: NodeInfo;
    capacity?: Record<string, number | string>;
    allocatable?: Record<string, number | string>;
    images?: ContainerImage[];
    volumesAttached?: { name: string; devicePath: string }[];
    volumesInUse?: string[];
  };
}

/** A machine that runs pods. */
export const Node = builtInKind<Node>({
  group: "",
  version: "v1",
  kind: "Node",
  plural: "nodes",
  namespaced: false,
  subresources: ["status"],
});
