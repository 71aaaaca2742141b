import {
  type ContainerImage,
  formatTimestamp,
  type Frozen,
  type Node,
  type PodCondition,
} from "@capstan/api";
import { createHash } from "node:crypto";
import { healthTaint } from "../node-taints.ts";
import { isReady, readiness } from "../readiness.ts";
import { hasEnded, withConditions } from "./pod-state.ts";
import { tolerates } from "./tolerations.ts";
import type { ContainerStatus, WorkloadPod } from "./workload-kinds.ts";

/** The timing of pods. */
export interface PodSettings {
  /** Sizes of images; other images get a size by their name. */
  readonly imageBytes: Readonly<Record<string, number>>;
  /** The bandwidth at which a node pulls images. */
  readonly pullBytesPerSecond: number;
  /** The time from running to Ready. */
  readonly startupMs: number;
  /** The time a pod takes to stop. */
  readonly stopMs: number;
  /** How long pods outlive a deleted node. */
  readonly evictionTimeoutMs: number;
}

/** The next action on a pod, and why. */
export type PodStep =
  | { readonly type: "wait"; readonly why: string; readonly afterMs?: number }
  | {
      readonly type: "report";
      readonly why: string;
      readonly status: object;
      readonly pulled?: readonly ContainerImage[];
    }
  /** Requests the deletion of the pod; it stays until its kubelet has stopped it. */
  | { readonly type: "evict"; readonly why: string }
  /** Deletes the pod from the API: it has stopped, or its kubelet no longer exists. */
  | { readonly type: "remove"; readonly why: string };

/** A pod, its node if that still exists, and the current time. */
export interface PodScene {
  readonly pod: Frozen<WorkloadPod>;
  readonly node: Frozen<Node> | undefined;
  readonly nowMs: number;
  readonly settings: PodSettings;
}

const NODE_LOST = "NodeLost";
const NODE_NOT_READY = "NodeNotReady";

/** Decides what the kubelet of its node, or the control plane in its place, does with a pod. */
export function nextStep(scene: PodScene): PodStep {
  const { pod, node } = scene;
  if (!pod.spec?.nodeName) return wait("it is on no node");
  if (!node) return outlive(scene);
  return isReady(node) ? attended(scene, node) : endure(scene, node);
}

function attended(scene: PodScene, node: Frozen<Node>): PodStep {
  const { pod } = scene;
  if (pod.metadata.deletionTimestamp !== undefined) return stop(scene);
  if (hasEnded(pod.status?.phase)) return wait("it has ended");
  if (pod.status?.startTime === undefined || isOlder(pod, node)) return start(scene);
  return isRunning(pod) ? becomeReady(scene) : run(scene, node);
}

/** A new node with the same name runs none of the pods of the old one. */
function isOlder({ status }: Frozen<WorkloadPod>, { metadata }: Frozen<Node>): boolean {
  return Date.parse(status?.startTime ?? "") < Date.parse(metadata.creationTimestamp ?? "");
}

function isRunning({ status }: Frozen<WorkloadPod>): boolean {
  return status?.containerStatuses?.[0]?.state.running !== undefined;
}

/** No kubelet can stop the pods of a deleted node, so they count as stopped after a while. */
function outlive(scene: PodScene): PodStep {
  const sinceMs = unreadySinceMs(scene, NODE_LOST);
  if (sinceMs === undefined) return reportUnready(scene, NODE_LOST, "the node has vanished");
  const afterMs = sinceMs + scene.settings.evictionTimeoutMs - scene.nowMs;
  if (afterMs > 0) return wait("the node has vanished and may come back", afterMs);
  return { type: "remove", why: "the node has vanished for longer than the eviction timeout" };
}

/** An unready kubelet does nothing; its pods are deleted after their toleration time. */
function endure(scene: PodScene, node: Frozen<Node>): PodStep {
  const { pod, nowMs } = scene;
  const sinceMs = unreadySinceMs(scene, NODE_NOT_READY);
  if (sinceMs === undefined) return reportUnready(scene, NODE_NOT_READY, "the node is not ready");
  if (pod.metadata.deletionTimestamp !== undefined) return wait("the node is not ready and cannot stop it");
  const afterMs = sinceMs + patienceMs(pod, node) - nowMs;
  if (afterMs === Infinity) return wait("it tolerates a node that is not ready");
  if (afterMs > 0) return wait("the node is not ready", afterMs);
  return { type: "evict", why: "the node has not been ready for longer than the pod tolerates" };
}

/** How long a pod tolerates an unready node; the API server gives every pod 5 minutes by default. */
function patienceMs({ spec }: Frozen<WorkloadPod>, node: Frozen<Node>): number {
  const taint = { key: healthTaint(node) ?? "", effect: "NoExecute" };
  const toleration = spec?.tolerations?.find((one) => tolerates(one, taint));
  return toleration ? (toleration.tolerationSeconds ?? Infinity) * 1000 : 0;
}

function stop({ pod: { metadata }, nowMs, settings }: PodScene): PodStep {
  const graceMs = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const askedMs = Date.parse(metadata.deletionTimestamp ?? "") - graceMs;
  const afterMs = askedMs + Math.min(graceMs, settings.stopMs) - nowMs;
  if (afterMs > 0) return wait("its containers are stopping", afterMs);
  return { type: "remove", why: "its containers have stopped" };
}

function start({ pod, nowMs }: PodScene): PodStep {
  const status = {
    phase: isRunning(pod) ? "Running" : "Pending",
    startTime: formatTimestamp(nowMs),
    conditions: withConditions(pod.status?.conditions, unready("ContainersNotReady"), nowMs),
    containerStatuses: containers(pod, { waiting: { reason: "ContainerCreating" } }),
  };
  return { type: "report", why: "the kubelet has seen it", status };
}

function run({ pod, nowMs, settings }: PodScene, node: Frozen<Node>): PodStep {
  const missing = missingImages(pod, node);
  const sizes = missing.map((name) => ({ names: [name], sizeBytes: imageBytes(name, settings.imageBytes) }));
  const bytes = sizes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const pullMs = Math.ceil((bytes / settings.pullBytesPerSecond) * 1000);
  const afterMs = Date.parse(pod.status?.startTime ?? "") + pullMs - nowMs;
  if (afterMs > 0) return wait(`pulling ${missing.join(", ")}`, afterMs);
  const podIP = addressOf(pod);
  const status = {
    phase: "Running",
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: withConditions(
      pod.status?.conditions,
      [{ type: "Initialized", status: "True" }, ...unready("ContainersNotReady")],
      nowMs,
    ),
    containerStatuses: containers(pod, { running: { startedAt: formatTimestamp(nowMs) } }),
  };
  return { type: "report", why: "its images are on the node", status, pulled: sizes };
}

function becomeReady({ pod, nowMs, settings }: PodScene): PodStep {
  if (isReady(pod)) return wait("it is ready");
  const { containerStatuses = [], conditions } = pod.status ?? {};
  const startedMs = Date.parse(containerStatuses[0]?.state.running?.startedAt ?? "");
  const afterMs = startedMs + settings.startupMs - nowMs;
  if (afterMs > 0) return wait("it is starting up", afterMs);
  const ready: Omit<PodCondition, "lastTransitionTime">[] = [
    { type: "ContainersReady", status: "True" },
    { type: "Ready", status: "True" },
  ];
  const status = {
    conditions: withConditions(conditions, ready, nowMs),
    containerStatuses: containerStatuses.map((one) => ({ ...one, ready: true })),
  };
  return { type: "report", why: "it has started up", status };
}

function wait(why: string, afterMs?: number): PodStep {
  return afterMs === undefined ? { type: "wait", why } : { type: "wait", why, afterMs };
}

function unready(reason: string): Omit<PodCondition, "lastTransitionTime">[] {
  return [
    { type: "ContainersReady", status: "False", reason },
    { type: "Ready", status: "False", reason },
  ];
}

/** The time is stored on the pod, so that it survives a restart of this process. */
function unreadySinceMs({ pod }: PodScene, reason: string): number | undefined {
  const ready = readiness(pod);
  return ready?.reason === reason ? Date.parse(ready.lastTransitionTime ?? "") : undefined;
}

function reportUnready({ pod, nowMs }: PodScene, reason: string, why: string): PodStep {
  const condition: Omit<PodCondition, "lastTransitionTime"> = { type: "Ready", status: "False", reason };
  const conditions = withConditions(pod.status?.conditions, [condition], nowMs);
  return { type: "report", why, status: { conditions } };
}

function containers(pod: Frozen<WorkloadPod>, state: ContainerStatus["state"]): ContainerStatus[] {
  const before = pod.status?.containerStatuses?.[0];
  const restartCount = (before?.restartCount ?? 0) + (before?.state.running ? 1 : 0);
  return (pod.spec?.containers ?? []).map(({ name, image = "" }) => ({
    name,
    image,
    imageID: state.running ? image : "",
    ready: false,
    started: state.running !== undefined,
    restartCount,
    state,
  }));
}

function missingImages(pod: Frozen<WorkloadPod>, node: Frozen<Node>): string[] {
  const there = new Set(node.status?.images?.flatMap(({ names = [] }) => names));
  const desired = new Set((pod.spec?.containers ?? []).map(({ image = "" }) => image));
  return [...desired].filter((image) => !there.has(image));
}

// Real images have between about 10 MB and 1 GB.
const SMALLEST_IMAGE = 10_000_000;
const LARGEST_IMAGE = 1_000_000_000;

/** The size of an image: from the table, or derived from its name, so that every run and node agrees. */
export function imageBytes(image: string, table: Readonly<Record<string, number>>): number {
  if (Object.hasOwn(table, image)) return table[image] ?? 0;
  // Uniform in the exponent: small images are common, large ones rare.
  const share = digest(image).readUInt32BE(0) / 2 ** 32;
  return Math.round(SMALLEST_IMAGE * (LARGEST_IMAGE / SMALLEST_IMAGE) ** share);
}

/** The pod's address for its lifetime; two pods of a large fleet may share one, because no client connects to it. */
function addressOf(pod: Frozen<WorkloadPod>): string {
  const [a = 0, b = 0, c = 0] = digest(pod.metadata.uid ?? pod.metadata.name);
  return `10.${a}.${b}.${c}`;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
