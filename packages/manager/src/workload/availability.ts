import {
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  type Node,
  type NodeCondition,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import type { PowerState } from "@capstan/azure";

/** The observations of one machine of a pool, and their time. */
export interface AvailabilityFacts {
  readonly instance?: { readonly provisioningState: string; readonly powerState: PowerState };
  readonly node?: Frozen<Node>;
  readonly machine?: Frozen<AzureMachinePoolMachine>;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** Whether a machine is available, and why. */
export interface Availability {
  readonly isAvailable: boolean;
  /** Since when, if known. */
  readonly sinceMs?: number;
  /** When its Node will have been Ready for long enough, if it waits only for that. */
  readonly availableAtMs?: number;
  readonly why: string;
}

// The cloud provider has not initialized a Node with this taint, so no pod can run on it.
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** Condition of a machine: whether its Node is schedulable; set only if a user has cordoned the Node. */
export const NODE_SCHEDULABLE = "NodeSchedulable";

// The version of the hash function and the hash, as the pool writes it.
const MODEL_HASH = /^v[0-9]+-[0-9a-f]+$/;

/**
 * Whether a machine is available, the one definition for the whole product: the VM runs, the Node has been Ready for long
 * enough, is schedulable and not being deleted, and the machine is neither being deleted nor updated.
 */
export function availabilityOf(facts: AvailabilityFacts): Availability {
  const { node, machine, minReadySeconds, nowMs } = facts;
  const obstacle = obstacleOf(facts);
  if (obstacle !== undefined || !node) {
    return { isAvailable: false, ...unavailableSince(facts), why: obstacle ?? "it has no Node" };
  }
  const availableAtMs = longEnoughAtMs(readySinceMs(node), minReadySeconds);
  const name = machine?.metadata.name ?? node.metadata.name;
  if (availableAtMs > nowMs) {
    const why = `its Node ${node.metadata.name} has not been Ready for ${minReadySeconds} s yet`;
    return { isAvailable: false, sinceMs: readySinceMs(node), availableAtMs, why };
  }
  return { isAvailable: true, sinceMs: availableAtMs, why: `${name} runs and its Node is Ready` };
}

function obstacleOf(facts: AvailabilityFacts): string | undefined {
  return machineObstacle(facts) ?? instanceObstacle(facts) ?? nodeObstacle(facts.node);
}

function machineObstacle({ machine }: AvailabilityFacts): string | undefined {
  if (machine?.metadata.deletionTimestamp !== undefined) return "it is being deleted";
  if (machine && (updateOf(machine) !== undefined || machine.status?.instanceUpdate))
    return "it is being updated in place";
  return undefined;
}

/**
 * Why an instance is not available, according to Azure. Failed and Updating do not count: Azure reports them for working
 * machines too, for example after a failed update of an extension. If the power state is unknown, the Node decides.
 */
export function instanceObstacle({ instance }: Pick<AvailabilityFacts, "instance">): string | undefined {
  if (!instance) return "it has no instance";
  const { provisioningState, powerState } = instance;
  if (provisioningState === "Creating" || provisioningState === "Deleting")
    return `Azure says that its instance is ${provisioningState}`;
  if (powerState !== "running" && powerState !== "unknown")
    return `Azure says that its instance is ${powerState}`;
  return undefined;
}

function nodeObstacle(node: Frozen<Node> | undefined): string | undefined {
  if (!node) return "it has no Node";
  const { name } = node.metadata;
  if (!isNodeReady(node)) return `its Node ${name} is not Ready`;
  return isNodeUsable(node) ? undefined : `its Node ${name} takes no pods`;
}

function unavailableSince({ node, machine }: AvailabilityFacts): { readonly sinceMs?: number } {
  const sources = [
    node && !isNodeReady(node) ? readyCondition(node)?.lastTransitionTime : undefined,
    ...(machine ? [unreadySince(machine), cordonedSince(machine)] : []),
  ];
  const [sinceMs] = sources.map((time) => Date.parse(time ?? "")).filter((time) => !Number.isNaN(time));
  return sinceMs === undefined ? {} : { sinceMs };
}

function unreadySince({ status }: Frozen<AzureMachinePoolMachine>): string | undefined {
  const ready = getCondition(status?.conditions, "Ready");
  return ready && ready.status !== "True" ? ready.lastTransitionTime : undefined;
}

/** Since when the Node of a machine is cordoned by a user; undefined while it is not. */
export function cordonedSince({ status }: Frozen<AzureMachinePoolMachine>): string | undefined {
  const schedulable = getCondition(status?.conditions, NODE_SCHEDULABLE);
  return schedulable?.status === "False" ? schedulable.lastTransitionTime : undefined;
}

/** The model of a requested update in place; an annotation that is not a model hash requests nothing. */
export function updateOf({ metadata }: Frozen<AzureMachinePoolMachine>): string | undefined {
  const asked = metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION];
  return asked !== undefined && MODEL_HASH.test(asked) ? asked : undefined;
}

/** Whether the kubelet reports the Node as Ready. */
export function isNodeReady(node: Frozen<Node>): boolean {
  return readyCondition(node)?.status === "True";
}

/** Whether the kubelet has not reported for longer than the control plane waits. */
export function isNodeUnreachable(node: Frozen<Node>): boolean {
  return readyCondition(node)?.status === "Unknown";
}

/** When minReadySeconds have passed: at once if they are 0, even if clocks differ. */
export function longEnoughAtMs(sinceMs: number, minReadySeconds: number): number {
  return minReadySeconds === 0 ? 0 : sinceMs + minReadySeconds * 1000;
}

/** Since when the Node has its Ready status; -Infinity if unknown. */
export function readySinceMs(node: Frozen<Node>): number {
  const sinceMs = Date.parse(readyCondition(node)?.lastTransitionTime ?? "");
  return Number.isNaN(sinceMs) ? 0 : sinceMs;
}

/** Whether a Node can take pods and is not being deleted, in addition to being Ready. */
export function isNodeUsable({ metadata, spec }: Frozen<Node>): boolean {
  if (metadata.deletionTimestamp !== undefined || spec?.unschedulable === true) return false;
  // Every pass over a pool calls this for each Node; `some` and `find` are slow on frozen arrays.
  for (const { key } of spec?.taints ?? []) if (key === UNINITIALIZED) return false;
  return true;
}

function readyCondition({ status }: Frozen<Node>): Frozen<NodeCondition> | undefined {
  for (const condition of status?.conditions ?? []) if (condition.type === "Ready") return condition;
  return undefined;
}
