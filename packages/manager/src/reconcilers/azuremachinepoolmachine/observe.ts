import { CLOCK_SKEW_MS, isTrue } from "@capstan/api";
import { again, block, Failure, guardWrites, next, type Outcome, terminal, waiting } from "@capstan/runtime";
import { isNodeReady, updateOf } from "../../workload/availability.ts";
import { precedingName } from "./claims.ts";
import { findNode, type NodeLookup } from "../../workload/find-node.ts";
import { isOfPool, poolNameOf, type Scope } from "./scope.ts";

// Whoever creates the pool or lists its instances wakes its machines; this is for what nobody tells.
const INSTANCE_RECHECK_MS = 10 * 60_000;
const UNLISTED_MS = 60_000;
const UNREACHABLE_MS = 15_000;
const JOINING_MS = 4 * 60_000;

/** A machine without a pool, or with an instance of somebody else's, is left alone. */
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

/** A machine whose instance another one stands for has none, and so nothing of its Node; the pool takes it away. */
export function requireInstance({ context, machine }: Scope): Outcome {
  const preceding = precedingName(machine, context.cache);
  if (preceding === undefined) return next;
  const message = `spec.providerID: AzureMachinePoolMachine ${preceding} already represents this instance; the controller ignores this machine`;
  throw waiting("InstanceTaken", message);
}

/** Looks what the last list of the scale set says about the instance. Before the first list nothing is done. */
export function lookAtInstance(scope: Scope): Outcome {
  scope.observed = scope.ports.scaleSets.instance(scope.machine.spec.providerID);
  if (scope.observed.state !== "unknown") return next;
  scope.isQuiet = true;
  return block(UNLISTED_MS, "WaitingForInstanceList");
}

/** A machine that has lost its instance goes, but it is the pool that decides so. */
export function leaveLostToPool(scope: Scope): Outcome {
  if (scope.observed.state !== "gone") return next;
  scope.isQuiet = true;
  return block(INSTANCE_RECHECK_MS, "InstanceGone");
}

/** Looks for the Node. They are followed by one watch a cluster; here they are only looked up. */
export async function lookAtNode(scope: Scope): Promise<Outcome> {
  await lookForNode(scope);
  const { node } = scope;
  if (node.state === "unknown") return again(UNREACHABLE_MS, node.reason);
  const joiningMs = joiningForMs(scope);
  if (joiningMs === undefined) return next;
  scope.isQuiet = true;
  return again(joiningMs, "NodeJoining");
}

/** The same for a machine that leaves: whoever needs the Node there says what it means that nobody answers. */
export async function lookForNode(scope: Scope): Promise<Outcome> {
  scope.node = await nodeOf(scope);
  return next;
}

/** For how long a machine that boots is not spoken of: mostly the next thing it does is to become a Node that is Ready. */
function joiningForMs({ context, machine, node, observed }: Scope): number | undefined {
  if (machine.status?.nodeRef || updateOf(machine) !== undefined) return undefined;
  if (observed.state !== "seen") return undefined;
  const { provisioningState } = observed.instance;
  // A Node that is there before a list shows its instance as made is told of together with that.
  if (provisioningState === "Creating")
    return machine.status?.provisioningState === provisioningState ? JOINING_MS : undefined;
  if (provisioningState !== "Succeeded") return undefined;
  return leftOf(sinceMs(node, observed.instance.provisionedAtMs) + JOINING_MS - context.env.clock.now());
}

/** What is left of the time. Much more than all of it is left where somebody's clock is far ahead of ours: that says nothing. */
function leftOf(leftMs: number): number | undefined {
  return leftMs > 0 && leftMs <= JOINING_MS + CLOCK_SKEW_MS ? leftMs : undefined;
}

/** Since when a Node is waited for to come, or to become Ready. */
function sinceMs(node: NodeLookup, bootedMs = -Infinity): number {
  if (node.state === "none") return bootedMs;
  if (node.state !== "found" || isNodeReady(node.node)) return -Infinity;
  return Date.parse(node.node.metadata.creationTimestamp ?? "");
}

async function nodeOf(scope: Scope): Promise<NodeLookup> {
  const { cluster, context, machine, ports, observed } = scope;
  // Nothing can have joined a cluster that has not come to be.
  if (!cluster || !isTrue(cluster.status?.conditions, "ControlPlaneInitialized")) return { state: "none" };
  try {
    const workload = await ports.workloads.get(cluster);
    const nodes = await workload.nodes();
    scope.workload = guardWrites(workload.client, () => context.assertMayWrite());
    return findNode(nodes.of(machine.spec.providerID), {
      instance: observed.state === "seen" ? observed.instance : undefined,
      knownUID: machine.status?.nodeRef?.uid,
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { state: "unknown", reason: error.reason, message: error.message };
  }
}
