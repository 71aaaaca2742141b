import type { Frozen, Node } from "@capstan/api";
import type { InstanceCache } from "@capstan/azure";
import { isNodeReady } from "../../../workload/availability.ts";
import type { WorkloadNodes } from "../../../workload/nodes.ts";
import { type MachineFacts, vmStateOf } from "./machine-view.ts";
import type { WorkloadFacts } from "./pool-view.ts";

/**
 * The health of the workload cluster. Nodes whose machines are switched off in Azure do not count, in all pools: otherwise
 * pools whose machines are switched off would wait for each other.
 */
export function workloadFacts(
  nodes: WorkloadNodes | undefined,
  machines: readonly MachineFacts[],
  scaleSets: Pick<InstanceCache, "instance">,
): WorkloadFacts {
  if (!nodes) return { isReachable: false, nodes: 0, notReady: 0 };
  const { all, notReady } = nodes.count();
  const off = nodesOff(nodes, machines, scaleSets);
  const silent = [...off].filter((node) => !isNodeReady(node)).length;
  return { isReachable: true, nodes: all - off.size, notReady: notReady - silent };
}

/** The Nodes whose machines do not run: those of the pool, and those of other pools by the instance cache. */
function nodesOff(
  nodes: WorkloadNodes,
  machines: readonly MachineFacts[],
  scaleSets: Pick<InstanceCache, "instance">,
): ReadonlySet<Frozen<Node>> {
  const off = new Set<Frozen<Node>>();
  for (const { instance, node } of machines)
    if (instance && node && vmStateOf(instance) !== "Running") off.add(node);
  for (const node of nodes.notReady()) {
    const observed = scaleSets.instance(node.spec?.providerID ?? "");
    if (observed.state === "seen" && vmStateOf(observed.instance) !== "Running") off.add(node);
  }
  return off;
}
