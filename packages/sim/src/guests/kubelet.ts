import {
  type ContainerImage,
  formatTimestamp,
  type Frozen,
  Node,
  type NodeCondition,
  type Taint,
} from "@capstan/api";
import type { Machine, VmSize } from "@capstan/azure-sim";
import { type Client, isAlreadyExists, unlessGone } from "@capstan/runtime";
import { NOT_READY } from "../node-taints.ts";
import type { BootIdentity } from "./os-disk.ts";

/** The taint that keeps pods off a node until the cloud provider has initialized it. */
export const CLOUD_UNINITIALIZED: Taint = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};

/** The facts that a kubelet knows about its machine. */
export interface KubeletFacts {
  readonly nodeName: string;
  readonly machine: Machine;
  readonly size: VmSize | undefined;
  readonly boot: BootIdentity;
  readonly version: string;
  readonly kernel: string;
  readonly images: readonly ContainerImage[];
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly nowMs: number;
}

type Status = NonNullable<Node["status"]>;

// The kubelet's default hard eviction threshold: 100 MiB are not allocatable.
const RESERVED_KI = 100 * 1024;
const KI_PER_GB = 1024 * 1024;

/** The Node as its kubelet creates it, without the status. */
function nodeOf({ nodeName, labels, taints }: KubeletFacts): Pick<Node, "metadata" | "spec"> {
  return {
    metadata: {
      name: nodeName,
      labels: {
        "kubernetes.io/hostname": nodeName,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "beta.kubernetes.io/arch": "amd64",
        ...labels,
      },
    },
    // The API server adds this taint to every new Node.
    spec: { taints: [...taints, CLOUD_UNINITIALIZED, { key: NOT_READY, effect: "NoSchedule" }] },
  };
}

/** The status that a kubelet writes when it starts. */
function startingStatus(facts: KubeletFacts, previous: readonly NodeCondition[] = []): Status {
  const { machine, size, boot, version, kernel, images, nowMs } = facts;
  const memoryKi = (size?.memoryGB ?? 0) * KI_PER_GB;
  const capacity = { cpu: String(size?.cores ?? 0), pods: "110", "ephemeral-storage": "128Gi" };
  return {
    capacity: { ...capacity, memory: `${memoryKi}Ki` },
    allocatable: { ...capacity, memory: `${Math.max(0, memoryKi - RESERVED_KI)}Ki` },
    images: [...images],
    nodeInfo: {
      architecture: "amd64",
      bootID: boot.bootId,
      containerRuntimeVersion: "containerd://2.1.4",
      kernelVersion: kernel,
      kubeProxyVersion: version,
      kubeletVersion: version,
      machineID: boot.machineId,
      operatingSystem: "linux",
      osImage: "Ubuntu 24.04 LTS",
      systemUUID: machine.vmId,
    },
    conditions: conditionsOf("starting", previous, nowMs),
  };
}

const PRESSURES = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
] as const;

const READY = {
  starting: { status: "False", reason: "KubeletNotReady", message: "container runtime network not ready" },
  ready: { status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
} as const;

/** The conditions of a node. They are Unknown while its kubelet is silent. */
export function conditionsOf(
  health: "starting" | "ready" | "silent",
  previous: readonly NodeCondition[],
  nowMs: number,
): NodeCondition[] {
  const said = health === "silent" ? silentConditions() : spokenConditions(READY[health]);
  const now = formatTimestamp(nowMs);
  return said.map((condition) => {
    const before = previous.find(({ type }) => type === condition.type);
    const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : undefined;
    // A silent node keeps the last heartbeat.
    const lastHeartbeatTime = health === "silent" ? before?.lastHeartbeatTime : undefined;
    return {
      ...condition,
      lastHeartbeatTime: lastHeartbeatTime ?? now,
      lastTransitionTime: lastTransitionTime ?? now,
    };
  });
}

function spokenConditions(ready: Pick<NodeCondition, "status" | "reason" | "message">): NodeCondition[] {
  const pressures = PRESSURES.map(([type, reason, message]): NodeCondition => ({
    type,
    status: "False",
    reason,
    message,
  }));
  return [...pressures, { type: "Ready", ...ready }];
}

function silentConditions(): NodeCondition[] {
  return [...PRESSURES.map(([type]) => type), "Ready"].map((type) => ({
    type,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  }));
}

/**
 * Registers the Node, or takes over the Node of an earlier boot. Like the kubelet, it tries to create the Node first, with
 * its status: a separate status write would conflict with the cloud provider's.
 */
export async function registerNode(client: Client, facts: KubeletFacts): Promise<void> {
  const node = nodeOf(facts);
  try {
    await client.create(Node, { ...node, status: startingStatus(facts) });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const known = await client.get(Node, { name: facts.nodeName });
    const stored = await labelled(client, known, node.metadata.labels);
    await writeStatus(client, facts.nodeName, startingStatus(facts, conditionsIn(stored)));
  }
}

async function labelled(
  client: Client,
  node: Frozen<Node>,
  labels: Readonly<Record<string, string>> = {},
): Promise<Frozen<Node>> {
  const has = node.metadata.labels ?? {};
  if (Object.entries(labels).every(([key, value]) => has[key] === value)) return node;
  const { name } = node.metadata;
  return await client.patch(Node, { name }, { type: "merge", body: { metadata: { labels } } });
}

/**
 * Writes that the node is Ready; the conditions are compared with those on the server. A deleted Node is not created again.
 */
export async function reportReady(client: Client, nodeName: string, nowMs: number): Promise<void> {
  const node = await client.find(Node, { name: nodeName });
  if (node)
    await writeStatus(client, nodeName, { conditions: conditionsOf("ready", conditionsIn(node), nowMs) });
}

/** Writes that the kubelet is silent; refused when the Node has changed since it was read. */
export async function reportSilent(client: Client, node: Frozen<Node>, nowMs: number): Promise<void> {
  const { name, resourceVersion } = node.metadata;
  const status = { conditions: conditionsOf("silent", conditionsIn(node), nowMs) };
  const body = { metadata: { resourceVersion }, status };
  await client.patch(Node, { name }, { type: "merge", subresource: "status", body });
}

function conditionsIn(node: Frozen<Node>): readonly NodeCondition[] {
  return node.status?.conditions ?? [];
}

async function writeStatus(client: Client, name: string, status: Status): Promise<void> {
  await unlessGone(client.patch(Node, { name }, { type: "merge", subresource: "status", body: { status } }));
}
