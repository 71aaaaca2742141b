import { type AzureMachinePoolMachine, type Frozen, getCondition } from "@capstan/api";
import { NO_NODE } from "../../workload/drain/drain-machine.ts";
import type { NodeLookup } from "../../workload/find-node.ts";
import { DRAINED } from "../../pools/machine-conditions.ts";

/** Whether the Node that the machine has now is drained. A Node that registered late, or after an update in place, is not the drained one. */
export function isDrained({
  machine,
  node,
}: {
  readonly machine: Frozen<AzureMachinePoolMachine>;
  readonly node: NodeLookup;
}): boolean {
  const { conditions, instanceUpdate } = machine.status ?? {};
  const drained = getCondition(conditions, DRAINED);
  if (drained?.status !== "True" || node.state !== "found") return drained?.status === "True";
  return instanceUpdate ? node.node.metadata.uid === instanceUpdate.nodeUID : drained.reason !== NO_NODE;
}
