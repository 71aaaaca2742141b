import {
  type AzureMachinePoolMachine,
  type Frozen,
  getCondition,
  type Node,
  type NodeCondition,
  UPDATE_INSTANCE_ANNOTATION,
} from "@capstan/api";
import type { PowerState } from "../azure/scale-set/instance.ts";

/** What is known of one machine of a pool, and when. */
export interface AvailabilityFacts {
  readonly instance?: { readonly provisioningState: string; readonly powerState: PowerState };
  readonly node?: Frozen<Node>;
  readonly machine?: Frozen<AzureMachinePoolMachine>;
  readonly minReadySeconds: number;
  readonly nowMs: number;
}

/** Whether a machine does its work. */
export interface Availability {
  readonly isAvailable: boolean;
  /** Since when that is so, where something says it. */
  readonly sinceMs?: number;
  /** When its Node will have been Ready for long enough, if that is all it waits for. */
  readonly availableAtMs?: number;
  readonly why: string;
}

// A Node with it has not been looked at by the cloud's controller, and nothing can run on it yet.
const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

/** Condition of a machine: whether pods may come to its Node; told only of one that somebody has cordoned. */
export const NODE_SCHEDULABLE = "NodeSchedulable";

// A hash of a model with the version of the hash, as the pool writes it.
const MODEL_HASH = /^v[0-9]+-[0-9a-f]+$/;

/**
 * Available, by the one definition that the whole product uses: the VM runs, the Node has been Ready for long enough,
 * takes pods and is about to stay, and nobody is about to delete or update the machine.
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
 * What keeps a machine from its work, as Azure says. A state such as Failed or Updating does not: Azure says so of
 * machines that do their work, after an extension could not be updated for instance. Where nothing is said of the power,
 * the Node is the better witness.
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

/** Since when somebody has kept pods off the Node of a machine; undefined while nobody does. */
export function cordonedSince({ status }: Frozen<AzureMachinePoolMachine>): string | undefined {
  const schedulable = getCondition(status?.conditions, NODE_SCHEDULABLE);
  return schedulable?.status === "False" ? schedulable.lastTransitionTime : undefined;
}

/** The model that a machine is asked to be updated to in place; what is no hash of a model asks for nothing. */
export function updateOf({ metadata }: Frozen<AzureMachinePoolMachine>): string | undefined {
  const asked = metadata.annotations?.[UPDATE_INSTANCE_ANNOTATION];
  return asked !== undefined && MODEL_HASH.test(asked) ? asked : undefined;
}

/** Whether the kubelet says that the Node works. */
export function isNodeReady(node: Frozen<Node>): boolean {
  return readyCondition(node)?.status === "True";
}

/** Whether nobody has heard of the kubelet for longer than the control plane waits. */
export function isNodeUnreachable(node: Frozen<Node>): boolean {
  return readyCondition(node)?.status === "Unknown";
}

/** When something has lasted for long enough: at once where no time is asked for, whatever clocks that differ say. */
export function longEnoughAtMs(sinceMs: number, minReadySeconds: number): number {
  return minReadySeconds === 0 ? 0 : sinceMs + minReadySeconds * 1000;
}

/** Since when the Node is as Ready as it is; always, where nobody says it. */
export function readySinceMs(node: Frozen<Node>): number {
  const sinceMs = Date.parse(readyCondition(node)?.lastTransitionTime ?? "");
  return Number.isNaN(sinceMs) ? 0 : sinceMs;
}

/** Ready is not enough: pods must be able to come, and the Node must be about to stay. */
export function isNodeUsable({ metadata, spec }: Frozen<Node>): boolean {
  if (metadata.deletionTimestamp !== undefined || spec?.unschedulable === true) return false;
  // Each pass over a pool asks for each of its Nodes; `some` and `find` are slow on arrays that are frozen.
  for (const { key } of spec?.taints ?? []) if (key === UNINITIALIZED) return false;
  return true;
}

function readyCondition({ status }: Frozen<Node>): Frozen<NodeCondition> | undefined {
  for (const condition of status?.conditions ?? []) if (condition.type === "Ready") return condition;
  return undefined;
}
