import { type AzureMachinePoolMachine, type Frozen, getCondition, Node } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import type { ScaleSetInstance } from "@capstan/azure";
import { isNodeReady } from "../../../workload/availability.ts";
import { NO_NODE } from "../../../workload/drain/drain-machine.ts";
import { DRAINED } from "../../../pools/machine-conditions.ts";
import type { Pass } from "../scope.ts";

/** A machine that is about to be deleted or updated, with its Node from the watch. */
export interface DisruptionCandidate {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly instance: Pick<ScaleSetInstance, "instanceID" | "computerName">;
  readonly node: Frozen<Node> | undefined;
}

/** What is needed of a pass to read Nodes live. */
interface WorkloadAccess {
  readonly shared: {
    readonly ports: { readonly workloads: Pick<Pass["shared"]["ports"]["workloads"], "get"> };
  };
}

/**
 * The instance ids of candidates with a Ready Node that was not drained. A machine without a Node, or one that is updated, may
 * join at any moment, and the watch lags behind. So the workload cluster is read live before the instances are deleted or
 * updated. If it does not answer, all candidates count as undrained.
 */
export async function withUndrainedNodes(
  { cluster, isClusterGoing, shared }: Pick<Pass, "cluster" | "isClusterGoing"> & WorkloadAccess,
  candidates: readonly DisruptionCandidate[],
): Promise<ReadonlySet<string>> {
  const unsure = candidates.filter(isUnsure);
  if (unsure.length === 0 || !cluster || isClusterGoing) return new Set();
  try {
    const { client } = await shared.ports.workloads.get(cluster);
    const late = await Promise.all(
      unsure.map(async (one) => ((await hasJoined(client, one)) ? [one.instance.instanceID] : [])),
    );
    return new Set(late.flat());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Set(unsure.map(({ instance }) => instance.instanceID));
  }
}

/** Whether the machine had no Node to drain, or may have another Node by now. */
function isUnsure({ machine, instance, node }: DisruptionCandidate): boolean {
  if (node && isNodeReady(node)) return false;
  const hasOtherNode = machine.status?.instanceUpdate !== undefined;
  return instance.computerName !== undefined && (hasOtherNode || hadNoNode(machine));
}

/** Whether a machine counts as drained because it had no Node. */
export function hadNoNode({ status }: Frozen<AzureMachinePoolMachine>): boolean {
  return getCondition(status?.conditions, DRAINED)?.reason === NO_NODE;
}

async function hasJoined(client: Client, { machine, instance }: DisruptionCandidate): Promise<boolean> {
  const node = await client.find(Node, { name: (instance.computerName ?? "").toLowerCase() });
  return (
    node !== undefined && isNodeReady(node) && node.metadata.uid !== machine.status?.instanceUpdate?.nodeUID
  );
}
