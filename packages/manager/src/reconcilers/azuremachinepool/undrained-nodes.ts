import { type AzureMachinePoolMachine, type Frozen, getCondition, Node } from "@capstan/api";
import { type Client, Failure } from "@capstan/runtime";
import type { ScaleSetInstance } from "../../azure/scale-set/instance.ts";
import { isNodeReady } from "../../workload/availability.ts";
import { NO_NODE } from "../../workload/drain/drain-machine.ts";
import { DRAINED } from "../azuremachinepoolmachine/conditions.ts";
import type { Pass } from "./scope.ts";

/** A machine that something is about to be done to, with its Node as a watch has told of it. */
export interface DisruptionCandidate {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly seen: ScaleSetInstance;
  readonly node: Frozen<Node> | undefined;
}

/**
 * Those of some machines that have a Node which nobody has drained. One that had none may become one at any moment, and
 * so may one that is updated; the watch that tells of it lags behind. So the workload cluster itself is asked, right
 * before anything is done to the instances. Where it does not answer, nobody knows, and all of them are left alone.
 */
export async function withUndrainedNodes(
  { cluster, isClusterGoing, shared }: Pass,
  candidates: readonly DisruptionCandidate[],
): Promise<ReadonlySet<string>> {
  const unsure = candidates.filter(isUnsure);
  if (unsure.length === 0 || !cluster || isClusterGoing) return new Set();
  try {
    const { client } = await shared.ports.workloads.get(cluster);
    const late = await Promise.all(
      unsure.map(async (one) => ((await hasJoined(client, one)) ? [one.seen.instanceID] : [])),
    );
    return new Set(late.flat());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Set(unsure.map(({ seen }) => seen.instanceID));
  }
}

/** Whether nothing was drained, or what was is not what may be there by now. */
function isUnsure({ machine, seen, node }: DisruptionCandidate): boolean {
  if (node && isNodeReady(node)) return false;
  const hasOtherNode = machine.status?.instanceUpdate !== undefined;
  const hadNone = getCondition(machine.status?.conditions, DRAINED)?.reason === NO_NODE;
  return seen.computerName !== undefined && (hasOtherNode || hadNone);
}

async function hasJoined(client: Client, { machine, seen }: DisruptionCandidate): Promise<boolean> {
  const node = await client.find(Node, { name: (seen.computerName ?? "").toLowerCase() });
  return (
    node !== undefined && isNodeReady(node) && node.metadata.uid !== machine.status?.instanceUpdate?.nodeUID
  );
}
