import { CLOCK_SKEW_MS, ensureOwnerReference } from "@capstan/api";
import {
  again,
  block,
  Failure,
  guardWrites,
  logDisruptions,
  next,
  type Outcome,
  terminal,
  waiting,
} from "@capstan/runtime";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { precedingName } from "../../pools/claims.ts";
import { joinDueInMs } from "./decide-status.ts";
import { findNode, type NodeLookup } from "../../workload/find-node.ts";
import { isOfPool, type Scope } from "./scope.ts";
import { poolNameOf, poolReferenceOf, poolReferenceTo } from "../../pools/machines-of-pool.ts";
import { isControlPlaneInitialized } from "../../contract/initialized.ts";

// The pool and the lists of its instances enqueue the machine; this interval covers missed events.
const INSTANCE_RECHECK_MS = 10 * 60_000;
const UNLISTED_MS = 60_000;
const UNREACHABLE_MS = 15_000;
const JOINING_MS = 4 * 60_000;

/** Ignores a machine without a pool, or with an instance of another scale set. */
export function requirePool({ machine, pool }: Scope): Outcome {
  const { namespace } = machine.metadata;
  if (!pool) {
    const message = `No AzureMachinePool ${JSON.stringify(poolNameOf(machine))} in namespace ${namespace} owns this machine`;
    throw waiting("WaitingForPool", message);
  }
  if (isOfPool(machine, pool)) return next;
  throw terminal(
    "ForeignInstance",
    `spec.providerID: ${JSON.stringify(machine.spec.providerID)}: is not an instance of the scale set ${pool.spec.providerID}; the controller ignores this machine, delete it`,
  );
}

/** Earlier releases made the pool the controller of its machines; a Machine could not become it then. */
export function shareControl({ machine, pool }: Scope): Outcome {
  const reference = poolReferenceOf(machine);
  if (!pool || reference?.controller !== true) return next;
  const { ownerReferences } = machine.metadata;
  machine.metadata.ownerReferences = ensureOwnerReference(ownerReferences, poolReferenceTo(pool)).map(
    (one) => ({
      ...one,
    }),
  );
  return next;
}

/** A machine whose instance another one represents has neither instance nor Node; the pool controller deletes it. */
export function requireInstance({ context, machine }: Scope): Outcome {
  const preceding = precedingName(machine, context.cache);
  if (preceding === undefined) return next;
  const message = `spec.providerID: AzureMachinePoolMachine ${preceding} already represents this instance; the controller ignores this machine`;
  throw waiting("InstanceTaken", message);
}

/** Reads the instance from the last list of the scale set. Before the first list, nothing is done. */
export function lookAtInstance(scope: Scope): Outcome {
  scope.observed = scope.ports.scaleSets.instance(scope.machine.spec.providerID);
  if (scope.observed.state !== "unknown") return next;
  scope.isQuiet = true;
  return block(UNLISTED_MS, "WaitingForInstanceList");
}

/** The pool controller decides about the deletion of a machine without an instance. */
export function leaveLostToPool(scope: Scope): Outcome {
  if (scope.observed.state !== "gone") return next;
  scope.isQuiet = true;
  return block(INSTANCE_RECHECK_MS, "InstanceGone");
}

/** Looks up the Node in the cache, which one watch for each cluster fills. */
export async function lookAtNode(scope: Scope): Promise<Outcome> {
  await lookForNode(scope);
  const { node } = scope;
  if (node.state === "unknown") return again(UNREACHABLE_MS, node.reason);
  const joiningMs = joiningForMs(scope);
  if (joiningMs === undefined) return untilOverdue(scope);
  scope.isQuiet = true;
  return again(joiningMs, "NodeJoining");
}

/** Requeues a machine without a Node for the time at which users are told. */
function untilOverdue({ context, machine, node, observed }: Scope): Outcome {
  if (node.state !== "none" || observed.state !== "seen") return next;
  const leftMs = joinDueInMs({ machine, instance: observed.instance, nowMs: context.env.clock.now() }) ?? 0;
  return leftMs > 0 ? again(leftMs, "NodeJoining") : next;
}

/** The same for a machine in deletion: the later phases decide what an unreachable workload cluster means. */
export async function lookForNode(scope: Scope): Promise<Outcome> {
  scope.node = await nodeOf(scope);
  return next;
}

/** How long a booting machine is not reported: usually it becomes a Ready Node next. */
function joiningForMs({ context, machine, node, observed }: Scope): number | undefined {
  if (machine.status?.nodeRef || updateOf(machine) !== undefined) return undefined;
  if (observed.state !== "seen") return undefined;
  const { provisioningState } = observed.instance;
  // A Node that exists before a list shows its instance as created is reported together with the instance.
  if (provisioningState === "Creating")
    return machine.status?.provisioningState === provisioningState ? JOINING_MS : undefined;
  if (provisioningState !== "Succeeded") return undefined;
  return leftOf(sinceMs(node, observed.instance.provisionedAtMs) + JOINING_MS - context.env.clock.now());
}

/** The remaining time; undefined if it is implausibly long because a clock is ahead of the manager's. */
function leftOf(leftMs: number): number | undefined {
  return leftMs > 0 && leftMs <= JOINING_MS + CLOCK_SKEW_MS ? leftMs : undefined;
}

/** Since when the machine waits for its Node to appear or to become Ready. */
function sinceMs(node: NodeLookup, bootedMs = -Infinity): number {
  if (node.state === "none") return bootedMs;
  if (node.state !== "found" || isNodeReady(node.node)) return -Infinity;
  return Date.parse(node.node.metadata.creationTimestamp ?? "");
}

async function nodeOf(scope: Scope): Promise<NodeLookup> {
  const { cluster, context, machine, ports, observed } = scope;
  // No machine can have joined a cluster without an initialized control plane.
  if (!cluster || !isControlPlaneInitialized(cluster)) return { state: "none" };
  try {
    const workload = await ports.workloads.get(cluster);
    const nodes = await workload.nodes();
    scope.workload = logDisruptions(
      guardWrites(workload.client, () => context.assertMayWrite()),
      context.log,
    );
    return findNode(nodes.of(machine.spec.providerID), {
      instance: observed.state === "seen" ? observed.instance : undefined,
      knownUID: machine.status?.nodeRef?.uid,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { state: "unknown", reason: error.reason, message: error.message };
  }
}
